// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-trig-irq.c: an event at every interrupt
 *
 * "irq" is the number of an interrupt; "line" is a line of a GPIO controller, as
 * label:offset. An interrupt chosen by number is shared if its other users share it. The
 * driver of the device must clear the interrupt: this handler only fires. It runs in hard
 * interrupt context even with threadirqs and under PREEMPT_RT.
 *
 * The kernel unbinds a GPIO controller even if its lines are in use. So the trigger
 * releases its line when the bus announces the unbind, and stops firing. It registers its
 * notifier first, and then requests the interrupt under the lock of the controller's
 * device. So either the request does not find the controller, or the notifier is called.
 */
#include <linux/capability.h>
#include <linux/device.h>
#include <linux/gpio/consumer.h>
#include <linux/gpio/driver.h>
#include <linux/interrupt.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/zio-gpio.h>
#include <linux/zio-irq.h>
#include <linux/zio-trigger.h>

enum { IRQ_NUMBER, IRQ_LINE, IRQ_EDGE };

static const char *const irq_edges[] = { "rising", "falling", "both", NULL };

static const unsigned long irq_edge_flags[] = {
	IRQF_TRIGGER_RISING,
	IRQF_TRIGGER_FALLING,
	IRQF_TRIGGER_RISING | IRQF_TRIGGER_FALLING,
};

static const struct zio_attr_desc irq_attrs[] = {
	[IRQ_NUMBER] = {
		.name = "irq",
		.mode = 0644,
		.place = ZIO_ATTR_PLACE_EXT,
		.index = 0,
		.max = S32_MAX,
	},
	[IRQ_LINE] = {
		.name = "line",
		.mode = 0644,
		.text = "<label:offset>",
	},
	[IRQ_EDGE] = {
		.name = "edge",
		.mode = 0644,
		.words = irq_edges,
	},
};

/* The GPIO lines of all triggers are requested for this device. */
static struct device *irq_user;

struct irq_state {
	struct zio_trigger *trig;
	struct mutex lock;	/* irq, line */
	int irq;		/* 0: none */
	struct gpio_descs *line;
	struct device *controller;
	struct notifier_block unbinding;
};

static irqreturn_t irq_happened(int irq, void *data)
{
	zio_trigger_fire(data);
	return zio_irq_answer(irq);
}

static void irq_release_irq(struct irq_state *state)
{
	mutex_lock(&state->lock);
	if (state->irq)
		free_irq(state->irq, state->trig);
	state->irq = 0;
	if (state->line)
		gpiod_put_array(state->line);
	state->line = NULL;
	mutex_unlock(&state->lock);
}

static int irq_notify_unbinding(struct notifier_block *unbinding,
				unsigned long action, void *data)
{
	struct irq_state *state = container_of(unbinding, struct irq_state,
					       unbinding);

	if (action == BUS_NOTIFY_UNBIND_DRIVER && data == state->controller)
		irq_release_irq(state);
	return NOTIFY_OK;
}

static int irq_create(struct zio_trigger *trig)
{
	struct irq_state *state = kzalloc(sizeof(*state), GFP_KERNEL);

	if (!state)
		return -ENOMEM;
	mutex_init(&state->lock);
	state->trig = trig;
	state->unbinding.notifier_call = irq_notify_unbinding;
	trig->priv = state;
	return 0;
}

static void irq_destroy(struct zio_trigger *trig)
{
	struct irq_state *state = trig->priv;

	mutex_destroy(&state->lock);
	kfree(state);
}

static int irq_text_is_valid(struct zio_trigger *trig, unsigned int index,
			     const char *text)
{
	int n;

	/* The line becomes an input. */
	if (!capable(CAP_SYS_RAWIO))
		return -EPERM;
	n = zio_gpio_count(text);
	if (n < 0)
		return n;
	return n == 1 ? 0 : -EINVAL;
}

static irqreturn_t irq_ignore_irq(int irq, void *data)
{
	return IRQ_NONE;
}

/* Requests the interrupt as a trial, even while the trigger uses a line. */
static int irq_number_is_valid(struct zio_trigger *trig, unsigned int index,
			       u64 value)
{
	int ret;

	if (!value)
		return 0;
	if (!capable(CAP_SYS_RAWIO))
		return -EPERM;
	ret = zio_request_hard_irq(value, irq_ignore_irq, IRQF_SHARED, "zio-trigger",
				   trig->priv);
	if (ret < 0)
		return ret;
	free_irq(value, trig->priv);
	return 0;
}

/* Returns -ENODEV if the controller has been unbound since the line was requested. */
static int irq_follow_controller(struct irq_state *state, struct gpio_desc *line)
{
	struct gpio_chip *chip = gpiod_to_chip(line);

	if (!chip)
		return -ENODEV;
	if (!chip->parent || !chip->parent->bus)
		return 0;
	state->controller = get_device(chip->parent);
	return bus_register_notifier(state->controller->bus, &state->unbinding);
}

static void irq_leave_controller(struct irq_state *state)
{
	if (!state->controller)
		return;
	bus_unregister_notifier(state->controller->bus, &state->unbinding);
	put_device(state->controller);
	state->controller = NULL;
}

/* The caller holds the lock of the controller's device, which prevents an unbind. */
static int irq_take_line(struct zio_trigger *trig, struct gpio_descs *line)
{
	int edge = match_string(irq_edges, ARRAY_SIZE(irq_edges), zio_trigger_text(trig, IRQ_EDGE));
	struct irq_state *state = trig->priv;
	int irq, ret;

	if (!gpiod_to_chip(line->desc[0]))
		return -ENODEV;
	irq = gpiod_to_irq(line->desc[0]);
	if (irq < 0)
		return irq;
	ret = zio_request_hard_irq(irq, irq_happened,
				   irq_edge_flags[max(edge, 0)], "zio-trigger", trig);
	if (ret < 0)
		return ret;
	state->irq = irq;
	state->line = line;
	return 0;
}

static int irq_take_line_locked(struct zio_trigger *trig, struct gpio_descs *line)
{
	struct irq_state *state = trig->priv;
	int ret;

	if (!state->controller)
		return irq_take_line(trig, line);
	device_lock(state->controller);
	ret = irq_take_line(trig, line);
	device_unlock(state->controller);
	return ret;
}

static int irq_request_line(struct zio_trigger *trig, const char *text)
{
	struct irq_state *state = trig->priv;
	struct gpio_descs *line;
	int ret;

	line = zio_gpio_get(irq_user, "zio-trigger", text, GPIOD_IN);
	if (IS_ERR(line))
		return PTR_ERR(line);
	ret = irq_follow_controller(state, line->desc[0]);
	if (!ret)
		ret = irq_take_line_locked(trig, line);
	if (!ret)
		return 0;
	irq_leave_controller(state);
	gpiod_put_array(line);
	/* A user cannot wait for a deferred probe. */
	return ret == -EPROBE_DEFER ? -ENODEV : ret;
}

static int irq_request_number(struct zio_trigger *trig, int irq)
{
	struct irq_state *state = trig->priv;
	int ret;

	ret = zio_request_hard_irq(irq, irq_happened, IRQF_SHARED, "zio-trigger", trig);
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
		return irq_request_line(trig, line);
	return irq ? irq_request_number(trig, irq) : 0;
}

static void irq_stop(struct zio_trigger *trig)
{
	struct irq_state *state = trig->priv;

	irq_leave_controller(state);
	irq_release_irq(state);
}

static const struct zio_trigger_ops irq_ops = {
	.create = irq_create,
	.destroy = irq_destroy,
	.start = irq_start,
	.stop = irq_stop,
	.text_is_valid = irq_text_is_valid,
	.number_is_valid = irq_number_is_valid,
};

static struct zio_trigger_type zio_trigger_irq = {
	.name = "irq",
	.owner = THIS_MODULE,
	.ops = &irq_ops,
	.attrs = irq_attrs,
	.n_attrs = ARRAY_SIZE(irq_attrs),
};

static int __init irq_trigger_init(void)
{
	int ret;

	irq_user = root_device_register("zio-trig-irq");
	if (IS_ERR(irq_user))
		return PTR_ERR(irq_user);
	ret = zio_trigger_type_register(&zio_trigger_irq);
	if (ret)
		root_device_unregister(irq_user);
	return ret;
}

static void __exit irq_trigger_exit(void)
{
	zio_trigger_type_unregister(&zio_trigger_irq);
	root_device_unregister(irq_user);
}

module_init(irq_trigger_init);
module_exit(irq_trigger_exit);

MODULE_DESCRIPTION("ZIO: trigger by an interrupt or a GPIO line");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
