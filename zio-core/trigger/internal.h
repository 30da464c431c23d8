/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h: declarations that the files of trigger share */
#ifndef _ZIO_TRIGGER_INTERNAL_H
#define _ZIO_TRIGGER_INTERNAL_H

#include "trigger/trigger.h"

/* trigger.c */
extern const struct zio_trigger_config_ops *zio_trigger_config;
bool zio_trigger_type_is_valid(const struct zio_trigger_type *type);
struct zio_trigger *zio_trigger_get(const struct zio_trigger_type *own, const char *name);
void zio_trigger_put(struct zio_trigger *trig);
int zio_trigger_join(struct zio_trigger *trig);
void zio_trigger_leave(struct zio_trigger *trig);

#endif /* _ZIO_TRIGGER_INTERNAL_H */
