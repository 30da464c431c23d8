// SPDX-License-Identifier: GPL-2.0-only
/*
 * pci.c: the life of a PCI device with an S5933: probe, shutdown, suspend, errors
 *
 * A halted chip neither interrupts nor moves words, and its driver starts nothing. A
 * suspend or a reset of the slot erases the registers and FIFOs of chip and card, so the
 * driver's restart() begins with a reset of the card.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/dma-mapping.h>
#include <linux/export.h>
#include <linux/module.h>
#include <linux/pm.h>
#include <linux/zio-compat.h>
#include <linux/zio-s5933.h>

static unsigned int dma_bits = 32;
module_param(dma_bits, uint, 0444);
MODULE_PARM_DESC(dma_bits, "address lines of the boards, 24 to 32");

/* Logs the requirement that is not met. */
static int s5933_check_board(struct s5933 *chip)
{
	/* Words moved by the chip and words read by the CPU would differ in byte order. */
	if (IS_ENABLED(CONFIG_CPU_BIG_ENDIAN))
		return dev_err_probe(chip->dev, -ENODEV,
				     "big-endian machines are not supported\n");
	if (pci_resource_len(chip->pdev, 0) < S5933_SIZE)
		return dev_err_probe(chip->dev, -ENODEV,
				     "BAR 0 is smaller than the registers of an S5933\n");
	if (!chip->pdev->irq)
		return dev_err_probe(chip->dev, -ENODEV, "no interrupt is assigned\n");
	return 0;
}

static int s5933_map_registers(struct s5933 *chip)
{
	const char *name = dev_driver_string(chip->dev);
	resource_size_t start = pci_resource_start(chip->pdev, 0);
	resource_size_t len = pci_resource_len(chip->pdev, 0);
	const void *region;

	/* In newer kernels, devres does not release what pci_request_region() reserves. */
	if (pci_resource_flags(chip->pdev, 0) & IORESOURCE_IO)
		region = devm_request_region(chip->dev, start, len, name);
	else
		region = devm_request_mem_region(chip->dev, start, len, name);
	if (!region)
		return dev_err_probe(chip->dev, -EBUSY,
				     "BAR 0: another driver has reserved it\n");
	chip->base = pcim_iomap(chip->pdev, 0, S5933_SIZE);
	if (!chip->base)
		return dev_err_probe(chip->dev, -ENOMEM, "BAR 0: cannot map it\n");
	return 0;
}

/**
 * s5933_dma_bits() - return the number of address lines of a board
 * @ops: its driver
 *
 * Context: any.
 * Return: the minimum of the chip's 32, the driver's, and the parameter "dma_bits".
 */
unsigned int s5933_dma_bits(const struct s5933_ops *ops)
{
	return min3(ops->dma_bits ?: 32u, dma_bits, 32u);
}
EXPORT_SYMBOL_GPL(s5933_dma_bits);

/**
 * s5933_probe() - make the chip of a PCI device accessible
 * @chip: memory that lives as long as the device, all zero
 * @pdev: the device; its driver data becomes @chip
 * @ops: the driver
 *
 * An earlier kernel may have left a transfer running, so bus mastering is disabled before
 * the first access. Afterwards the chip is stopped. devres undoes everything.
 *
 * Context: process, sleeps.
 * Return: 0; -ENODEV for a board that cannot be used, -EBUSY, -ENOMEM, or the error of the
 *         PCI core. The log has the reason.
 */
int s5933_probe(struct s5933 *chip, struct pci_dev *pdev,
		const struct s5933_ops *ops)
{
	unsigned int bits = s5933_dma_bits(ops);
	int ret;

	chip->pdev = pdev;
	chip->dev = &pdev->dev;
	chip->ops = ops;
	chip->mcsr = MCSR_WRITE_PRIORITY;
	spin_lock_init(&chip->lock);
	pci_set_drvdata(pdev, chip);
	pci_clear_master(pdev);
	ret = pcim_enable_device(pdev);
	if (ret)
		return dev_err_probe(chip->dev, ret, "cannot enable the PCI device\n");
	ret = s5933_check_board(chip);
	ret = ret ?: s5933_map_registers(chip);
	if (ret)
		return ret;
	ret = dma_set_mask_and_coherent(chip->dev, DMA_BIT_MASK(bits));
	if (ret)
		return dev_err_probe(chip->dev, ret, "no DMA with %u-bit addresses\n", bits);
	s5933_stop(chip);
	return 0;
}
EXPORT_SYMBOL_GPL(s5933_probe);

/**
 * s5933_halt() - leave the card alone
 * @chip: the chip
 *
 * Afterwards the card neither interrupts nor moves words. A block may still be armed.
 *
 * Context: process, sleeps.
 */
void s5933_halt(struct s5933 *chip)
{
	unsigned long flags;

	spin_lock_irqsave(&chip->lock, flags);
	chip->halted = true;
	s5933_stop(chip);
	spin_unlock_irqrestore(&chip->lock, flags);
	chip->ops->halt(chip);
	pci_clear_master(chip->pdev);
}
EXPORT_SYMBOL_GPL(s5933_halt);

static void s5933_halt_chip(void *chip)
{
	s5933_halt(chip);
}

/**
 * s5933_start() - request the interrupt and let the chip be bus master
 * @chip: the chip; its card is reset
 *
 * The chip interrupts after the caller's s5933_set_irq(). devres calls s5933_halt() before
 * it releases the interrupt, so whatever the driver's halt() needs must be set up before
 * this call.
 *
 * Context: process, sleeps.
 * Return: 0, or the error of request_irq(), which is logged, or -ENOMEM.
 */
int s5933_start(struct s5933 *chip)
{
	int ret = devm_request_irq(chip->dev, chip->pdev->irq, chip->ops->handler,
				   IRQF_SHARED, dev_driver_string(chip->dev), chip);

	if (ret)
		return dev_err_probe(chip->dev, ret, "cannot request interrupt %d\n",
				     chip->pdev->irq);
	ret = devm_add_action_or_reset(chip->dev, s5933_halt_chip, chip);
	if (ret)
		return ret;
	pci_set_master(chip->pdev);
	/* A reset of the slot restores this state. */
	pci_save_state(chip->pdev);
	return 0;
}
EXPORT_SYMBOL_GPL(s5933_start);

static void s5933_restart_chip(struct s5933 *chip)
{
	unsigned long flags;

	spin_lock_irqsave(&chip->lock, flags);
	s5933_stop(chip);
	chip->halted = false;
	spin_unlock_irqrestore(&chip->lock, flags);
	pci_intx(chip->pdev, 1);
	pci_set_master(chip->pdev);
	/* A suspend or a reset of the slot has used up the saved state. */
	pci_save_state(chip->pdev);
	chip->ops->restart(chip);
}

/**
 * s5933_shutdown() - shutdown() of a PCI driver: halt the chip
 * @pdev: the device
 *
 * Context: process, sleeps.
 */
void s5933_shutdown(struct pci_dev *pdev)
{
	s5933_halt(pci_get_drvdata(pdev));
}
EXPORT_SYMBOL_GPL(s5933_shutdown);

static int s5933_suspend(struct device *dev)
{
	s5933_halt(dev_get_drvdata(dev));
	return 0;
}

/* The PCI core has restored the configuration space. */
static int s5933_resume(struct device *dev)
{
	s5933_restart_chip(dev_get_drvdata(dev));
	return 0;
}

/* pci_driver.driver.pm of each driver of a card with this chip */
const struct dev_pm_ops s5933_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(s5933_suspend, s5933_resume)
};
EXPORT_SYMBOL_GPL(s5933_pm_ops);

/*
 * From now on, an access to the card may fail or hang, so only the software stops. The
 * interrupt is disabled in the configuration space, because no handler acknowledges it.
 */
static pci_ers_result_t s5933_error_detected(struct pci_dev *pdev, pci_channel_state_t state)
{
	struct s5933 *chip = pci_get_drvdata(pdev);
	unsigned long flags;

	dev_warn(chip->dev, "the bus reports an error: the card is %s\n",
		 state == pci_channel_io_perm_failure ? "given up" : "reset");
	spin_lock_irqsave(&chip->lock, flags);
	chip->halted = true;
	spin_unlock_irqrestore(&chip->lock, flags);
	pci_intx(pdev, 0);
	chip->ops->halt(chip);
	pci_clear_master(pdev);
	return state == pci_channel_io_perm_failure ? PCI_ERS_RESULT_DISCONNECT :
						      PCI_ERS_RESULT_NEED_RESET;
}

static pci_ers_result_t s5933_slot_reset(struct pci_dev *pdev)
{
	pci_restore_state(pdev);
	return PCI_ERS_RESULT_RECOVERED;
}

static void s5933_error_resume(struct pci_dev *pdev)
{
	s5933_restart_chip(pci_get_drvdata(pdev));
}

/* pci_driver.err_handler of each driver of a card with this chip */
const struct pci_error_handlers s5933_err_handler = {
	.error_detected = s5933_error_detected,
	.slot_reset = s5933_slot_reset,
	.resume = s5933_error_resume,
};
EXPORT_SYMBOL_GPL(s5933_err_handler);

static int __init s5933_init(void)
{
	if (dma_bits >= 24 && dma_bits <= 32)
		return 0;
	pr_err("dma_bits=%u: use 24 to 32\n", dma_bits);
	return -EINVAL;
}

static void __exit s5933_exit(void)
{
}

module_init(s5933_init);
module_exit(s5933_exit);
MODULE_DESCRIPTION("ZIO: AMCC S5933, for drivers of cards with this chip");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
