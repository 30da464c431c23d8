// SPDX-License-Identifier: GPL-2.0-only
/*
 * ex-board.c: a model of the registers of a digitiser and of a TDC
 *
 * It makes the platform devices ex-adc and ex-tdc, each with an interrupt, below one that
 * has the registers, as the driver of a carrier does. "fire" is an event at the input of
 * the digitiser; "pulse" are N pulses at the TDC, on its channels in turn.
 */
#include <linux/irq.h>
#include <linux/irq_work.h>
#include <linux/irqdesc.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/regmap.h>
#include <linux/timekeeping.h>

#include "ex-regs.h"

/* No register of a board: what happens at its connectors */
#define EX_WORLD	EX_END
#define EX_EVENT	BIT(0)
#define EX_PULSE	BIT(1)

struct ex_time {
	u32 seconds;
	u32 ticks;
};

struct ex_fifo {
	struct ex_time time[EX_TDC_DEPTH];
	unsigned int head;
	unsigned int tail;
};

/* An interrupt, which is raised in the context of a hard one. */
struct ex_line {
	int irq;
	struct irq_work raise;
};

static u32 regs[EX_WORLD / 4 + 1];
static struct ex_fifo fifos[EX_TDC_N_CHAN];
static struct ex_line adc_line, tdc_line;
static bool is_armed;
static u16 sample;
static unsigned int n_taken;
static unsigned int next_channel;
static struct platform_device *parent, *adc, *tdc;
static struct regmap *map;

static struct ex_time ex_now(void)
{
	struct timespec64 now;

	ktime_get_real_ts64(&now);
	return (struct ex_time){ now.tv_sec, now.tv_nsec / EX_TICK_NS };
}

static void ex_raise(struct irq_work *work)
{
	generic_handle_irq(container_of(work, struct ex_line, raise)->irq);
}

/* The caller holds the lock of the map, as all that follow. */
static void ex_adc_event(void)
{
	struct ex_time now = ex_now();

	if (!is_armed)
		return;
	is_armed = false;
	n_taken = 0;
	regs[EX_ADC_SECONDS / 4] = now.seconds;
	regs[EX_ADC_TICKS / 4] = now.ticks;
	regs[EX_ADC_STATUS / 4] |= EX_ADC_DONE;
	irq_work_queue(&adc_line.raise);
}

/* A shot lasts as many ticks as it has samples. */
static u32 ex_adc_ticks(void)
{
	u32 samples = regs[EX_ADC_PRE / 4] + regs[EX_ADC_POST / 4];

	return regs[EX_ADC_TICKS / 4] + n_taken / EX_ADC_N_CHAN / samples * samples;
}

static void ex_adc_control(u32 value)
{
	if (value & EX_ADC_STOP) {
		is_armed = false;
		regs[EX_ADC_STATUS / 4] = 0;
	}
	if (value & EX_ADC_START) {
		is_armed = true;
		if (!regs[EX_ADC_SOURCE / 4])
			ex_adc_event();
	}
}

static void ex_tdc_pulse(void)
{
	unsigned int n = next_channel++ % EX_TDC_N_CHAN;
	struct ex_fifo *fifo = &fifos[n];

	if (!(regs[EX_TDC_ENABLE / 4] & BIT(n)))
		return;
	if (fifo->head - fifo->tail == EX_TDC_DEPTH) {
		regs[EX_TDC_DROPPED / 4]++;
		return;
	}
	fifo->time[fifo->head++ % EX_TDC_DEPTH] = ex_now();
	irq_work_queue(&tdc_line.raise);
}

static u32 ex_tdc_waiting(void)
{
	u32 mask = 0;
	int n;

	for (n = 0; n < EX_TDC_N_CHAN; n++)
		if (fifos[n].head != fifos[n].tail)
			mask |= BIT(n);
	return mask;
}

static int ex_read(void *context, unsigned int reg, unsigned int *value)
{
	unsigned int n = (reg - EX_TDC_SECONDS(0)) / 16;

	*value = regs[reg / 4];
	switch (reg) {
	case EX_ADC_FIFO:
		*value = sample++;
		n_taken++;
		break;
	case EX_ADC_TICKS:
		*value = ex_adc_ticks();
		break;
	case EX_TDC_IRQ:
		*value = ex_tdc_waiting();
		break;
	case EX_TDC_SECONDS(0):
	case EX_TDC_SECONDS(1):
		*value = fifos[n].time[fifos[n].tail % EX_TDC_DEPTH].seconds;
		break;
	case EX_TDC_TICKS(0):
	case EX_TDC_TICKS(1):
		*value = fifos[n].time[fifos[n].tail % EX_TDC_DEPTH].ticks;
		break;
	}
	return 0;
}

static int ex_write(void *context, unsigned int reg, unsigned int value)
{
	unsigned int n = (reg - EX_TDC_SECONDS(0)) / 16;

	switch (reg) {
	case EX_ADC_CTRL:
		ex_adc_control(value);
		break;
	case EX_ADC_STATUS:
		regs[reg / 4] &= ~value;
		break;
	case EX_TDC_NEXT(0):
	case EX_TDC_NEXT(1):
		if (fifos[n].head != fifos[n].tail)
			fifos[n].tail++;
		break;
	case EX_WORLD:
		if (value & EX_EVENT)
			ex_adc_event();
		if (value & EX_PULSE)
			ex_tdc_pulse();
		break;
	default:
		regs[reg / 4] = value;
	}
	return 0;
}

static const struct regmap_config ex_config = {
	.reg_bits = 32,
	.val_bits = 32,
	.reg_stride = 4,
	.max_register = EX_WORLD,
	.fast_io = true,
	.reg_read = ex_read,
	.reg_write = ex_write,
};

static int ex_set_fire(const char *text, const struct kernel_param *kp)
{
	return regmap_write(map, EX_WORLD, EX_EVENT);
}

static int ex_set_pulse(const char *text, const struct kernel_param *kp)
{
	unsigned int n;
	int ret = kstrtouint(text, 0, &n);

	while (!ret && n--) {
		ret = regmap_write(map, EX_WORLD, EX_PULSE);
		irq_work_sync(&tdc_line.raise);
	}
	return ret;
}

static const struct kernel_param_ops fire_ops = { .set = ex_set_fire };
static const struct kernel_param_ops pulse_ops = { .set = ex_set_pulse };

module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "an event at the input of the digitiser");
module_param_cb(pulse, &pulse_ops, NULL, 0200);
MODULE_PARM_DESC(pulse, "so many pulses at the TDC");

static int ex_line_init(struct ex_line *line)
{
	line->irq = irq_alloc_desc(NUMA_NO_NODE);
	if (line->irq < 0)
		return line->irq;
	irq_set_chip_and_handler(line->irq, &dummy_irq_chip, handle_simple_irq);
	irq_modify_status(line->irq, IRQ_NOREQUEST | IRQ_NOPROBE, 0);
	line->raise = IRQ_WORK_INIT_HARD(ex_raise);
	return 0;
}

static void ex_line_exit(struct ex_line *line)
{
	irq_work_sync(&line->raise);
	irq_free_desc(line->irq);
}

static struct platform_device *ex_add(const char *name, const struct ex_line *line)
{
	const struct resource irq = DEFINE_RES_IRQ(line->irq);

	return platform_device_register_resndata(&parent->dev, name, 0, &irq, 1, NULL, 0);
}

static int ex_add_boards(void)
{
	adc = ex_add("ex-adc", &adc_line);
	if (IS_ERR(adc))
		return PTR_ERR(adc);
	tdc = ex_add("ex-tdc", &tdc_line);
	if (!IS_ERR(tdc))
		return 0;
	platform_device_unregister(adc);
	return PTR_ERR(tdc);
}

static int ex_make(void)
{
	int ret;

	parent = platform_device_register_simple("ex-board", 0, NULL, 0);
	if (IS_ERR(parent))
		return PTR_ERR(parent);
	map = regmap_init(&parent->dev, NULL, NULL, &ex_config);
	ret = PTR_ERR_OR_ZERO(map);
	if (ret)
		goto unregister;
	ret = ex_add_boards();
	if (!ret)
		return 0;
	regmap_exit(map);
unregister:
	platform_device_unregister(parent);
	return ret;
}

static int __init ex_init(void)
{
	int ret = ex_line_init(&adc_line);

	if (ret)
		return ret;
	regs[EX_ADC_TEMP / 4] = 41500;
	ret = ex_line_init(&tdc_line);
	if (ret)
		goto free_adc;
	ret = ex_make();
	if (!ret)
		return 0;
	ex_line_exit(&tdc_line);
free_adc:
	ex_line_exit(&adc_line);
	return ret;
}

static void __exit ex_exit(void)
{
	platform_device_unregister(tdc);
	platform_device_unregister(adc);
	regmap_exit(map);
	platform_device_unregister(parent);
	ex_line_exit(&tdc_line);
	ex_line_exit(&adc_line);
}

module_init(ex_init);
module_exit(ex_exit);
MODULE_DESCRIPTION("The registers of two invented boards");
MODULE_LICENSE("GPL");
