// SPDX-License-Identifier: GPL-2.0-only
/*
 * s5933-fail.c: s5933_map() fails, as without room for the mapping
 *
 * "insmod s5933-fail.ko": the next "left" calls fail. The core maps the memory of inputs
 * before, so nothing else makes the function fail for them.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/zio-s5933.h>

static int left;
module_param(left, int, 0644);
MODULE_PARM_DESC(left, "how many calls fail");

#if IS_ENABLED(CONFIG_KRETPROBES) && IS_ENABLED(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API)
struct call {
	struct s5933_dma *dma;
};

static int note_call(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct call *call = (void *)instance->data;

	call->dma = (void *)regs_get_kernel_argument(regs, 5);
	return 0;
}

/* The core's map stays. So only the length tells that there is nothing to release. */
static int fail_call(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct call *call = (void *)instance->data;

	if (READ_ONCE(left) <= 0)
		return 0;
	WRITE_ONCE(left, left - 1);
	call->dma->len = 0;
	regs_set_return_value(regs, -EIO);
	return 0;
}

static struct kretprobe probe = {
	.kp.symbol_name = "s5933_map",
	.entry_handler = note_call,
	.handler = fail_call,
	.data_size = sizeof(struct call),
};

static int begin(void)
{
	return register_kretprobe(&probe);
}

static void end(void)
{
	unregister_kretprobe(&probe);
}
#else
static int begin(void)
{
	return -EOPNOTSUPP;
}

static void end(void)
{
}
#endif

static int __init s5933_fail_init(void)
{
	return begin();
}

static void __exit s5933_fail_exit(void)
{
	end();
}

module_init(s5933_fail_init);
module_exit(s5933_fail_exit);
MODULE_DESCRIPTION("Tests of ZIO: a failure of s5933_map()");
MODULE_LICENSE("GPL");
