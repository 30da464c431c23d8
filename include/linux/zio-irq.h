/* SPDX-License-Identifier: GPL-2.0-only */
/* zio-irq.h: interrupts that a user chooses and whose time matters */
#ifndef _LINUX_ZIO_IRQ_H
#define _LINUX_ZIO_IRQ_H

#include <linux/interrupt.h>
#include <linux/irq.h>

#ifdef IRQF_COND_ONESHOT
#define ZIO_IRQF_HARD	(IRQF_NO_THREAD | IRQF_COND_ONESHOT)
#else
#define ZIO_IRQF_HARD	IRQF_NO_THREAD
#endif

/**
 * zio_request_hard_irq() - request an interrupt for a handler that stamps its time
 * @irq: the number
 * @handler: runs in hard interrupt context, even with threadirqs and PREEMPT_RT; in a thread
 *           only if the interrupt controller supports nothing else
 * @flags: IRQF_*
 * @name: for /proc/interrupts
 * @data: for the handler, and for free_irq()
 *
 * Other users of a shared interrupt may have threaded handlers, which mask it while they
 * run. Since Linux 6.9 a handler can agree to that; before, it must request the same. With
 * threadirqs, a driver that requests the interrupt later may get -EBUSY.
 *
 * Context: Process, sleeps.
 *
 * Return: 0 or more; or the error of request_irq().
 */
static inline int zio_request_hard_irq(unsigned int irq, irq_handler_t handler,
				       unsigned long flags, const char *name, void *data)
{
#ifndef IRQF_COND_ONESHOT
	/* Under PREEMPT_RT nearly all others are threads, also those that come later. */
	unsigned long first = IS_ENABLED(CONFIG_PREEMPT_RT) ? IRQF_ONESHOT : 0;
	int ret;

	if (flags & IRQF_SHARED) {
		ret = request_any_context_irq(irq, handler, flags | first | ZIO_IRQF_HARD |
					      IRQF_PROBE_SHARED, name, data);
		if (ret != -EBUSY)
			return ret;
		flags |= first ^ IRQF_ONESHOT;
	}
#endif
	return request_any_context_irq(irq, handler, flags | ZIO_IRQF_HARD, name, data);
}

/**
 * zio_irq_answer() - choose the value that a handler returns
 * @irq: the number
 *
 * The handler does not know whether its device has raised the interrupt. A level that nobody
 * clears would raise it for ever, so the kernel must be able to notice that no driver has
 * handled it and disable it. An edge comes once.
 *
 * Context: Any.
 *
 * Return: IRQ_NONE for a level; else IRQ_HANDLED.
 */
static inline irqreturn_t zio_irq_answer(unsigned int irq)
{
	struct irq_data *data = irq_get_irq_data(irq);

	return data && irqd_is_level_type(data) ? IRQ_NONE : IRQ_HANDLED;
}

#endif /* _LINUX_ZIO_IRQ_H */
