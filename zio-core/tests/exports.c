// SPDX-License-Identifier: GPL-2.0-only
/*
 * exports.c: functions of zio.ko that zio-test calls; test kernels only
 *
 * Tests use the core as drivers and programs do: by its exports, by files in sysfs, and by
 * nodes. Tests that need a state between two steps also call these functions.
 */
#include <linux/export.h>
#include <linux/zio-config.h>

#include "channel/internal.h"
#include "config/internal.h"
#include "device/internal.h"
#include "engine/block.h"
#include "engine/internal.h"
#include "engine/trace.h"
#include "share/internal.h"
#include "trigger/internal.h"

EXPORT_SYMBOL_NS_GPL(zio_block_end_borrow, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_channel_notify_room, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_channel_pop_unread, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_config_type_register, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_cset_arm_channel, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_cset_arm_event, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_cset_disown_phase, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_cset_freeze, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_cset_own_phase, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_cset_pull, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_cset_unfreeze, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_cset_use_dma, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_device_desc_is_valid, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_device_resume, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_device_suspend, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_memory_is_below, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_ostream_hasten, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_shots_alloc, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_queue_alloc, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_queue_replace, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_session_fetch, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_session_find, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_session_hold, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_session_leave_block, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_share_fill, ZIO_TEST);
EXPORT_SYMBOL_NS_GPL(zio_trigger_type_is_valid, ZIO_TEST);

#ifdef CONFIG_LOCKDEP
EXPORT_SYMBOL_NS_GPL(zio_poison_report_by, ZIO_TEST);
#endif

#ifdef CONFIG_TRACEPOINTS
EXPORT_SYMBOL_NS_GPL(__tracepoint_zio_lost, ZIO_TEST);
#endif
