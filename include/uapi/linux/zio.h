/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/* zio.h: for programs, the name that zio-user.h has in ZIO 1.x. Drivers include another one. */
#ifndef _UAPI_LINUX_ZIO_H
#define _UAPI_LINUX_ZIO_H

#include <linux/zio-user.h>

#endif /* _UAPI_LINUX_ZIO_H */
