// SPDX-License-Identifier: GPL-2.0-only
/*
 * test-irq.c: an interrupt without hardware, of an edge or of a level
 *
 * "number" tells its number. To write N to "fire" raises it N times. Nobody clears it, as
 * nobody clears a level whose driver is missing.
 */
#include <linux/irq.h>
#include <linux/irq_work.h>
#include <linux/irqdesc.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static int number;
module_param(number, int, 0444);
MODULE_PARM_DESC(number, "of the interrupt");
static bool level;
module_param(level, bool, 0444);
MODULE_PARM_DESC(level, "it is a level, not an edge");

/* Handlers ask whether they are in hard interrupt context. */
static void raise_irq(struct irq_work *work)
{
	generic_handle_irq(number);
}

static struct irq_work raising = IRQ_WORK_INIT_HARD(raise_irq);

static int set_fire(const char *text, const struct kernel_param *kp)
{
	unsigned int n;
	int ret = kstrtouint(text, 0, &n);

	while (!ret && n--) {
		irq_work_queue(&raising);
		irq_work_sync(&raising);
	}
	return ret;
}

static const struct kernel_param_ops fire_ops = { .set = set_fire };

module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "raise it so many times");

static int __init test_irq_init(void)
{
	int irq = irq_alloc_desc(NUMA_NO_NODE);

	if (irq < 0)
		return irq;
	irq_set_chip_and_handler(irq, &dummy_irq_chip, handle_simple_irq);
	irq_modify_status(irq, IRQ_NOREQUEST | IRQ_NOPROBE, level ? IRQ_LEVEL : 0);
	number = irq;
	return 0;
}

static void __exit test_irq_exit(void)
{
	irq_free_desc(number);
}

module_init(test_irq_init);
module_exit(test_irq_exit);
MODULE_DESCRIPTION("An interrupt without hardware, for tests");
MODULE_LICENSE("GPL");
