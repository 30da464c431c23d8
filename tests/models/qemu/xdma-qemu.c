// SPDX-License-Identifier: GPL-2.0-only
/*
 * xdma-qemu.c: the model of an XDMA card as a device of QEMU
 *
 * BAR 0 of "xdma" has the registers of the user's logic. BAR 1 has those of the DMA and
 * the table of 32 MSI-X vectors. With the property "wide" both have 64 bits, and the DMA is
 * in BAR 2. With "memory" the engines tell that they are no streams: a driver that starts
 * them causes a fault. Each of these cards has an identity of its own. The device is in the
 * shared object of sspci-qemu.c.
 */
#include "qemu-device.h"
#include "hw/pci/msix.h"
#include "xdma.h"

/* AMD's default identities of end points: Gen3 x8; Gen2 x8; Gen2 x4 */
#define XDMA_PCI_VENDOR	0x10ee
#define XDMA_PCI_DEVICE	0x9038
#define XDMA_PCI_WIDE	0x9028
#define XDMA_PCI_MEMORY	0x9024

#define TYPE_XDMA "xdma"
OBJECT_DECLARE_SIMPLE_TYPE(XdmaState, XDMA)

struct XdmaState {
	PCIDevice pci;
	MemoryRegion user;
	MemoryRegion dma;
	QEMUTimer *timer;
	Notifier on_exit;
	uint32_t n_engines;
	bool is_wide;
	bool is_memory;
	struct xdma card;
};

/* --- the bus ---------------------------------------------------------------- */

static bool dma_read(void *host, uint64_t addr, void *to, uint32_t bytes)
{
	XdmaState *s = host;

	return pci_dma_read(&s->pci, addr, to, bytes) == MEMTX_OK;
}

static bool dma_write(void *host, uint64_t addr, const void *from, uint32_t bytes)
{
	XdmaState *s = host;

	return pci_dma_write(&s->pci, addr, from, bytes) == MEMTX_OK;
}

static void send_msi(void *host, unsigned int vector)
{
	XdmaState *s = host;

	if (msix_enabled(&s->pci))
		msix_notify(&s->pci, vector);
}

static const struct xdma_ops ops = { dma_read, dma_write, send_msi };

/* --- time ------------------------------------------------------------------- */

static void advance(XdmaState *s)
{
	xdma_advance(&s->card, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
}

static void settle(XdmaState *s)
{
	uint64_t next;

	advance(s);
	next = xdma_next_ns(&s->card);
	if (next == XDMA_NEVER)
		timer_del(s->timer);
	else
		timer_mod_ns(s->timer, next);
}

static void on_timer(void *opaque)
{
	settle(opaque);
}

/* --- registers -------------------------------------------------------------- */

static uint64_t user_read(void *opaque, hwaddr addr, unsigned int size)
{
	XdmaState *s = opaque;

	advance(s);
	return xdma_user_read(&s->card, addr);
}

static void user_write(void *opaque, hwaddr addr, uint64_t value, unsigned int size)
{
	XdmaState *s = opaque;

	advance(s);
	xdma_user_write(&s->card, addr, value);
	settle(s);
}

static uint64_t bar_read(void *opaque, hwaddr addr, unsigned int size)
{
	XdmaState *s = opaque;
	uint32_t value;

	wait_cpu(xdma_wait(&s->card, s->card.costs.read_ns));
	advance(s);
	value = xdma_read(&s->card, addr);
	settle(s);
	return value;
}

static void bar_write(void *opaque, hwaddr addr, uint64_t value, unsigned int size)
{
	XdmaState *s = opaque;

	wait_cpu(xdma_wait(&s->card, s->card.costs.post_ns));
	advance(s);
	xdma_write(&s->card, addr, value);
	settle(s);
}

static const MemoryRegionOps user_ops = {
	.read = user_read, .write = user_write, ACCESS_32
};

static const MemoryRegionOps bar_ops = {
	.read = bar_read, .write = bar_write, ACCESS_32
};

/* --- life ------------------------------------------------------------------- */

static bool init_msix(XdmaState *s, unsigned int bar, Error **errp)
{
	unsigned int i;

	if (msix_init(&s->pci, XDMA_VECTORS, &s->dma, bar, XDMA_MSIX, &s->dma, bar, XDMA_PBA,
		      0, errp))
		return false;
	for (i = 0; i < XDMA_VECTORS; i++)
		msix_vector_use(&s->pci, i);
	return true;
}

/* At the end, report the faults that no test has cleared; vm reads the report. */
static void report_faults(XdmaState *s)
{
	if (s->card.faults)
		fprintf(stderr, "xdma: card saw %u faults of the software\n",
			s->card.faults);
}

static void on_exit_of_qemu(Notifier *notifier, void *data)
{
	report_faults(container_of(notifier, XdmaState, on_exit));
}

static void xdma_realize(PCIDevice *pci, Error **errp)
{
	XdmaState *s = XDMA(pci);
	unsigned int bar = s->is_wide ? 2 : 1;
	uint8_t type = PCI_BASE_ADDRESS_SPACE_MEMORY;

	if (s->is_wide)
		type |= PCI_BASE_ADDRESS_MEM_TYPE_64;
	if (s->n_engines < 1 || s->n_engines > XDMA_MAX_ENGINES) {
		error_setg(errp, "xdma: engines is 1 ... %d", XDMA_MAX_ENGINES);
		return;
	}
	if (s->is_wide || s->is_memory)
		pci_config_set_device_id(pci->config,
					 s->is_wide ? XDMA_PCI_WIDE : XDMA_PCI_MEMORY);
	pci_config_set_interrupt_pin(pci->config, 1);
	memory_region_init_io(&s->user, OBJECT(s), &user_ops, s, "xdma-user",
			      XDMA_USER_SIZE);
	memory_region_init_io(&s->dma, OBJECT(s), &bar_ops, s, "xdma-dma", XDMA_BAR_SIZE);
	pci_register_bar(pci, 0, type, &s->user);
	pci_register_bar(pci, bar, type, &s->dma);
	if (!init_msix(s, bar, errp))
		return;
	s->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, on_timer, s);
	xdma_init(&s->card, s->n_engines, &ops, s);
	s->card.is_memory = s->is_memory;
	s->on_exit.notify = on_exit_of_qemu;
	qemu_add_exit_notifier(&s->on_exit);
}

static void xdma_exit(PCIDevice *pci)
{
	XdmaState *s = XDMA(pci);

	report_faults(s);
	qemu_remove_exit_notifier(&s->on_exit);
	timer_free(s->timer);
	msix_uninit(pci, &s->dma, &s->dma);
}

static void xdma_dev_reset(DeviceState *dev)
{
	XdmaState *s = XDMA(dev);

	xdma_reset(&s->card);
	settle(s);
}

DEFINE_PROPERTIES(properties,
		  DEFINE_PROP_UINT32("engines", XdmaState, n_engines, 2),
		  DEFINE_PROP_BOOL("wide", XdmaState, is_wide, false),
		  DEFINE_PROP_BOOL("memory", XdmaState, is_memory, false));
DEFINE_SAVED(xdma_state, TYPE_XDMA, XdmaState, VMSTATE_MSIX(pci, XdmaState),);

static void xdma_class_init(ObjectClass *class, void *data)
{
	DeviceClass *dev = DEVICE_CLASS(class);
	PCIDeviceClass *pci = PCI_DEVICE_CLASS(class);

	pci->realize = xdma_realize;
	pci->exit = xdma_exit;
	pci->vendor_id = XDMA_PCI_VENDOR;
	pci->device_id = XDMA_PCI_DEVICE;
	pci->class_id = PCI_CLASS_OTHERS;
	device_class_set_props(dev, properties);
	dev->vmsd = &xdma_state;
	dev->desc = "FPGA card with AMD's DMA for PCI Express, and a source of packets";
	set_reset(dev, xdma_dev_reset);
}

static const TypeInfo types[] = {
	{
		PCI_TYPE(TYPE_XDMA, XdmaState),
		.class_init = xdma_class_init,
	},
};

DEFINE_TYPES(types)
