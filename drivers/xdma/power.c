// SPDX-License-Identifier: GPL-2.0-only
/*
 * power.c: suspend, resume, and errors of the bus
 *
 * Each of these erases the registers of the card. The descriptors are in memory, so an
 * engine restarts at the first descriptor that was not done, and blocks in flight stay in
 * flight. The sets may start and stop between halt and restart: an engine that is down
 * touches no register.
 */
#include <linux/pci.h>
#include <linux/pm.h>

#include "xdma.h"

/* Returns true if the hardware was in a transfer. */
static bool xdma_take_down(struct xdma_engine *engine)
{
	unsigned long flags;
	bool runs;

	spin_lock_irqsave(&engine->lock, flags);
	runs = xdma_runs(engine);
	engine->is_down = true;
	spin_unlock_irqrestore(&engine->lock, flags);
	return runs;
}

/*
 * @has_bus: the registers are readable. The interrupt stays off until the restart, because
 * its handler would complete blocks at the same time.
 */
static void xdma_halt_engine(struct xdma_engine *engine, bool has_bus)
{
	bool has_stopped;

	mutex_lock(&engine->stopping);
	has_stopped = xdma_take_down(engine) && has_bus;
	if (has_stopped)
		xdma_stop(engine);
	disable_irq(engine->irq);
	if (xdma_is_input(engine))
		xdma_input_halt(engine);
	else
		xdma_output_halt(engine, has_stopped);
	mutex_unlock(&engine->stopping);
}

/* After an error of the bus without a reset, the engine may still run. */
static void xdma_restart_engine(struct xdma_engine *engine)
{
	mutex_lock(&engine->stopping);
	xdma_stop(engine);
	if (xdma_is_input(engine))
		xdma_input_restart(engine);
	else
		xdma_output_restart(engine);
	enable_irq(engine->irq);
	mutex_unlock(&engine->stopping);
}

static void xdma_halt_card(struct xdma_card *card, bool has_bus)
{
	unsigned int i;

	for (i = 0; i < card->n_h2c + card->n_c2h; i++)
		xdma_halt_engine(&card->engine[i], has_bus);
}

static void xdma_restart_card(struct xdma_card *card)
{
	unsigned int i;

	pci_set_master(card->pdev);
	/* A suspend or a reset of the slot has used up the saved state. */
	pci_save_state(card->pdev);
	xdma_route_interrupts(card);
	for (i = 0; i < card->n_h2c + card->n_c2h; i++)
		xdma_restart_engine(&card->engine[i]);
}

static int xdma_suspend(struct device *dev)
{
	xdma_halt_card(dev_get_drvdata(dev), true);
	return 0;
}

/* The PCI core has restored the configuration space. */
static int xdma_resume(struct device *dev)
{
	xdma_restart_card(dev_get_drvdata(dev));
	return 0;
}

const struct dev_pm_ops xdma_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(xdma_suspend, xdma_resume)
};

/* From now on, an access to the card may fail or hang. */
static pci_ers_result_t xdma_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct xdma_card *card = pci_get_drvdata(pdev);

	dev_warn(card->dev, "the bus reports an error: the card is %s\n",
		 state == pci_channel_io_perm_failure ? "given up" : "reset");
	xdma_halt_card(card, false);
	pci_clear_master(pdev);
	return state == pci_channel_io_perm_failure ? PCI_ERS_RESULT_DISCONNECT :
						      PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t xdma_slot_reset(struct pci_dev *pdev)
{
	pci_restore_state(pdev);
	return PCI_ERS_RESULT_RECOVERED;
}

static void xdma_error_resume(struct pci_dev *pdev)
{
	xdma_restart_card(pci_get_drvdata(pdev));
}

const struct pci_error_handlers xdma_err_handler = {
	.error_detected = xdma_error_detected,
	.slot_reset = xdma_slot_reset,
	.resume = xdma_error_resume,
};
