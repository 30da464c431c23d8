// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-trig-irq.c: an event at every interrupt
 *
 * Of a number ("irq"), or of a line of a GPIO controller ("line", as label:offset).
 * The interrupt is shared, if its other users agree. Who makes it must also silence
 * it: this handler only takes the time and fires.
 */
#include <linux/gpio/consumer.h>
#include <linux/gpio/machine.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/zio-trigger.h>

enum { IRQ_NUMBER, IRQ_LINE, IRQ_EDGE };

static const struct zio_trigger_attr irq_attrs[] = {
	[IRQ_NUMBER] = {
		.name = "irq",
		.ext = 0,
		.max = S32_MAX,
	},
	[IRQ_LINE] = {
		.name = "line",
		.kind = ZIO_TRIGGER_TEXT,
	},
	[IRQ_EDGE] = {
		.name = "edge",
		.kind = ZIO_TRIGGER_TEXT,
	},
};

struct irq_state {
	int irq;		/* 0: none */
	struct gpio_desc *line;
};

static irqreturn_t irq_happened(int irq, void *data)
{
	zio_trigger_fire(data);
	return IRQ_HANDLED;
}

static int irq_create(struct zio_trigger *trig)
{
	struct irq_state *state = kzalloc(sizeof(*state), GFP_KERNEL);

	trig->priv = state;
	return state ? 0 : -ENOMEM;
}

static void irq_destroy(struct zio_trigger *trig)
{
	kfree(trig->priv);
}

static const struct {
	const char *name;
	unsigned long flags;
} irq_edges[] = {
	{ "rising", IRQF_TRIGGER_RISING },
	{ "falling", IRQF_TRIGGER_FALLING },
	{ "both", IRQF_TRIGGER_RISING | IRQF_TRIGGER_FALLING },
};

static int find_edge(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(irq_edges); i++)
		if (!strcmp(name, irq_edges[i].name))
			return i;
	return -EINVAL;
}

/* "label:offset"; -EINVAL for anything else. */
static int parse_line(char *text, u32 *offset)
{
	char *colon = strrchr(text, ':');

	if (!colon || colon == text)
		return -EINVAL;
	*colon = '\0';
	return kstrtou32(colon + 1, 0, offset) ? -EINVAL : 0;
}

static int irq_text_is_valid(struct zio_trigger *trig, unsigned int index,
			     const char *text)
{
	char *copy;
	u32 offset;
	int ret;

	if (index == IRQ_EDGE)
		return min(find_edge(text), 0);
	copy = kstrdup(text, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	ret = parse_line(copy, &offset);
	kfree(copy);
	return ret;
}

/* Descriptors are given out by way of a table that names their user. */
static struct gpio_desc *get_line(const char *label, u32 offset)
{
	struct gpiod_lookup_table *table;
	struct gpio_desc *line;

	table = kzalloc(struct_size(table, table, 2), GFP_KERNEL);
	if (!table)
		return ERR_PTR(-ENOMEM);
	table->table[0] = GPIO_LOOKUP(label, offset, "zio-trigger", 0);
	gpiod_add_lookup_table(table);
	line = gpiod_get(NULL, "zio-trigger", GPIOD_IN);
	gpiod_remove_lookup_table(table);
	kfree(table);
	if (line == ERR_PTR(-EPROBE_DEFER))
		return ERR_PTR(-ENODEV);
	return line;
}

static int open_line(struct irq_state *state, const char *text)
{
	char *label = kstrdup(text, GFP_KERNEL);
	u32 offset;
	int ret;

	if (!label)
		return -ENOMEM;
	ret = parse_line(label, &offset);
	if (!ret)
		state->line = get_line(label, offset);
	kfree(label);
	if (ret)
		return ret;
	if (IS_ERR(state->line)) {
		ret = PTR_ERR(state->line);
		state->line = NULL;
		return ret;
	}
	return gpiod_to_irq(state->line);
}

static void close_line(struct irq_state *state)
{
	if (state->line)
		gpiod_put(state->line);
	state->line = NULL;
}

static int request_line(struct zio_trigger *trig, const char *line)
{
	const char *edge = zio_trigger_text(trig, IRQ_EDGE);
	struct irq_state *state = trig->priv;
	int irq, ret;

	irq = open_line(state, line);
	ret = irq < 0 ? irq :
		request_any_context_irq(irq, irq_happened,
					irq_edges[*edge ? find_edge(edge) : 0].flags,
					"zio-trigger", trig);
	if (ret < 0)
		close_line(state);
	else
		state->irq = irq;
	return min(ret, 0);
}

static int request_number(struct zio_trigger *trig, int irq)
{
	struct irq_state *state = trig->priv;
	int ret;

	ret = request_any_context_irq(irq, irq_happened, IRQF_SHARED,
				      "zio-trigger", trig);
	if (ret < 0)
		return ret;
	state->irq = irq;
	return 0;
}

static int irq_start(struct zio_trigger *trig)
{
	const char *line = zio_trigger_text(trig, IRQ_LINE);
	int irq = zio_trigger_number(trig, IRQ_NUMBER);

	if (*line)
		return request_line(trig, line);
	return irq ? request_number(trig, irq) : 0;
}

static void irq_stop(struct zio_trigger *trig)
{
	struct irq_state *state = trig->priv;

	if (state->irq)
		free_irq(state->irq, trig);
	state->irq = 0;
	close_line(state);
}

static const struct zio_trigger_ops irq_ops = {
	.create = irq_create,
	.destroy = irq_destroy,
	.start = irq_start,
	.stop = irq_stop,
	.text_is_valid = irq_text_is_valid,
};

static struct zio_trigger_type zio_trigger_irq = {
	.name = "irq",
	.owner = THIS_MODULE,
	.ops = &irq_ops,
	.attrs = irq_attrs,
	.n_attrs = ARRAY_SIZE(irq_attrs),
};

module_zio_trigger(zio_trigger_irq);

MODULE_DESCRIPTION("ZIO: trigger by an interrupt or a GPIO line");
MODULE_LICENSE("GPL");
