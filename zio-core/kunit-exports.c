// SPDX-License-Identifier: GPL-2.0-only
/* kunit-exports.c: what zio-test needs of the inside; test kernels only */
#include <linux/export.h>

#include "internal.h"

EXPORT_SYMBOL_NS_GPL(zio_attr_parse, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_attr_parse_bool, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_binding_change, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_binding_enable, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_binding_set_nshots, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_binding_set_samples, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_buffer_set_kb, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_buffer_set_len, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_buffer_set_merge, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_buffers_change, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_channel_enable, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_channel_has_room, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_channel_refresh, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_control_check, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_cset_fire, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_cset_hold, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_cset_pull, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_cset_refresh, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_cset_release, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_cset_set_timeout, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_queue_alloc, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_queue_destroy, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_queue_init, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_queue_replace, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_ring_close, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_ring_count, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_ring_open, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_session_advance, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_session_close, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_session_fetch, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_session_hold, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_session_next, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_session_open, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_session_submit, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_session_wait_lock, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_trigger_create_shared, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_trigger_free_shared, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_trigger_hide_shared, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_trigger_store, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_trigger_store_clock, ZIO_TEST);
