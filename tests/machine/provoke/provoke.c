// SPDX-License-Identifier: GPL-2.0-only
/*
 * provoke.c: cause one fault, to test how vm reads the kernel log
 *
 * "insmod provoke.ko fault=NAME" provokes the fault.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/platform_device.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static char *fault = "";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "name of the fault");

static DEFINE_MUTEX(first_lock);
static DEFINE_MUTEX(second_lock);
static DEFINE_SPINLOCK(busy_lock);

static void do_warn(void)
{
	WARN(1, "provoked\n");
}

static void do_oops(void)
{
	int *nowhere = (int *)8;

	OPTIMIZER_HIDE_VAR(nowhere);
	*nowhere = 1;
}

static void do_use_after_free(void)
{
	char *memory = kzalloc(64, GFP_KERNEL);

	if (!memory)
		return;
	kfree(memory);
	OPTIMIZER_HIDE_VAR(memory);
	WRITE_ONCE(memory[8], 1);
}

static void do_lock_order(void)
{
	mutex_lock(&first_lock);
	mutex_lock(&second_lock);
	mutex_unlock(&second_lock);
	mutex_unlock(&first_lock);

	mutex_lock(&second_lock);
	mutex_lock(&first_lock);
	mutex_unlock(&first_lock);
	mutex_unlock(&second_lock);
}

static void do_atomic_sleep(void)
{
	spin_lock(&busy_lock);
	msleep(20);
	spin_unlock(&busy_lock);
}

static void do_leak(void)
{
	int i;

	/* A stale pointer in a register or on a stack may hide one of them. */
	for (i = 0; i < 16; i++) {
		void *memory = kmalloc(192, GFP_KERNEL);

		OPTIMIZER_HIDE_VAR(memory);
	}
}

static void unmap_wrongly(struct device *dev, void *memory)
{
	dma_addr_t addr;

	if (dma_coerce_mask_and_coherent(dev, DMA_BIT_MASK(64)))
		return;
	addr = dma_map_single(dev, memory, 64, DMA_TO_DEVICE);
	if (!dma_mapping_error(dev, addr))
		dma_unmap_single(dev, addr, 64, DMA_FROM_DEVICE);
}

static void do_dma_direction(void)
{
	struct platform_device *pdev;
	void *memory = kzalloc(64, GFP_KERNEL);

	pdev = platform_device_register_simple("provoke", PLATFORM_DEVID_NONE, NULL, 0);
	if (memory && !IS_ERR(pdev))
		unmap_wrongly(&pdev->dev, memory);
	platform_device_unregister(pdev);
	kfree(memory);
}

static void do_nothing(void)
{
	pr_info("provoke: nothing wrong\n");
}

static const struct {
	const char *name;
	void (*run)(void);
} faults[] = {
	{ "warn", do_warn },
	{ "oops", do_oops },
	{ "use-after-free", do_use_after_free },
	{ "lock-order", do_lock_order },
	{ "atomic-sleep", do_atomic_sleep },
	{ "leak", do_leak },
	{ "dma-direction", do_dma_direction },
	{ "nothing", do_nothing },
};

static int __init provoke_init(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (!strcmp(fault, faults[i].name)) {
			faults[i].run();
			return 0;
		}
	}
	return -EINVAL;
}
module_init(provoke_init);

static void __exit provoke_exit(void)
{
}
module_exit(provoke_exit);

MODULE_DESCRIPTION("Provokes one fault on purpose");
MODULE_LICENSE("GPL");
