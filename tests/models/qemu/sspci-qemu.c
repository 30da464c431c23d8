// SPDX-License-Identifier: GPL-2.0-only
/*
 * sspci-qemu.c: the card model as devices of QEMU
 *
 * "sspci" and "sps" are the cards, and "sspci-bench" has the registers of the test bench.
 * They are in a shared object that an unmodified QEMU (7.2 and newer) preloads; see
 * tests/machine/qemu-sspci.
 */
#include "qemu-device.h"
#include "qapi/visitor.h"
#include "qapi/qapi-types-control.h"
#include "exec/cpu-common.h"
#include "hw/core/cpu.h"
#include "bench.h"

/* Interrupts may come this late, so that a stream does not need a timer for each word. */
#define QUANTUM_NS 1000

VersionInfo *qmp_query_version(Error **errp);

#define TYPE_SSPCI "sspci"
OBJECT_DECLARE_SIMPLE_TYPE(SspciState, SSPCI)

#define TYPE_SPS "sps"
#define TYPE_SSPCI_BENCH "sspci-bench"
OBJECT_DECLARE_SIMPLE_TYPE(SspciBenchState, SSPCI_BENCH)

struct SspciState {
	PCIDevice pci;
	MemoryRegion bar;
	bool io;
	bool intx;
	uint32_t size;
	uint32_t device_id;
	char *peer;
	uint32_t index;
	struct board board;
};

struct SspciBenchState {
	PCIDevice pci;
	MemoryRegion bar;
};

static struct world world;
static SspciState *cards[BENCH_BOARDS];
static QEMUTimer *timer;
static bool advancing;

/* --- time ----------------------------------------------------------------- */

static void advance(void)
{
	advancing = true;
	world_advance(&world, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
	advancing = false;
}

/* Do what is due at once, then set the timer for the next event. */
static void settle(void)
{
	uint64_t next;

	if (!timer)
		return;
	advance();
	next = world_next_visible(&world);
	if (next == SLINK_NEVER)
		timer_del(timer);
	else
		timer_mod_ns(timer, MAX(next, world.now + QUANTUM_NS));
}

static void on_timer(void *opaque)
{
	settle();
}

/* --- PCI ------------------------------------------------------------------ */

static enum s5933_bus end_cycle(SspciState *s, MemTxResult result)
{
	enum s5933_bus how = S5933_BUS_TARGET_ABORT;
	uint16_t bit = PCI_STATUS_REC_TARGET_ABORT;

	if (result == MEMTX_OK)
		return S5933_BUS_OK;
	if (result & MEMTX_DECODE_ERROR) {
		how = S5933_BUS_MASTER_ABORT;
		bit = PCI_STATUS_REC_MASTER_ABORT;
	}
	pci_word_test_and_set_mask(s->pci.config + PCI_STATUS, bit);
	return how;
}

static enum s5933_bus dma_write(void *host, uint32_t addr,
				const uint32_t *words, unsigned int n)
{
	SspciState *s = host;
	uint32_t bytes[S5933_DEPTH];
	unsigned int i;

	for (i = 0; i < n; i++)
		bytes[i] = cpu_to_le32(words[i]);
	return end_cycle(s, pci_dma_write(&s->pci, addr, bytes, 4 * n));
}

static enum s5933_bus dma_read(void *host, uint32_t addr, uint32_t *words,
			       unsigned int n)
{
	SspciState *s = host;
	MemTxResult result = pci_dma_read(&s->pci, addr, words, 4 * n);
	unsigned int i;

	for (i = 0; i < n; i++)
		words[i] = le32_to_cpu(words[i]);
	return end_cycle(s, result);
}

static void set_irq(void *host, bool level)
{
	SspciState *s = host;

	pci_set_irq(&s->pci, level);
}

static const struct board_ops board_ops = {
	.dma_write = dma_write,
	.dma_read = dma_read,
	.set_irq = set_irq,
};

/* --- the CPU waits for the bus --------------------------------------------- */

/* Let the time pass, and with it the words on the link. */
static void wait_for_bus(uint64_t ns)
{
	if (!ns)
		return;
	wait_cpu(ns);
	advance();
}

/* A bus-master cycle of the card that ends at a register is not answered. */
static uint64_t card_read(void *opaque, hwaddr addr, unsigned int size)
{
	SspciState *s = opaque;
	uint64_t value;

	if (advancing)
		return UINT32_MAX;
	advance();
	wait_for_bus(s5933_begin_read(&s->board.chip));
	value = s5933_read(&s->board.chip, addr, size);
	wait_for_bus(s5933_end_read(&s->board.chip));
	settle();
	return value;
}

static void card_write(void *opaque, hwaddr addr, uint64_t value,
		       unsigned int size)
{
	SspciState *s = opaque;

	if (advancing)
		return;
	advance();
	wait_for_bus(s5933_begin_write(&s->board.chip));
	s5933_write(&s->board.chip, addr, value, size);
	settle();
}

static const MemoryRegionOps card_ops = {
	.read = card_read,
	.write = card_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 1, .max_access_size = 4 },
	.impl = { .min_access_size = 1, .max_access_size = 4 },
};

static void card_config_write(PCIDevice *pci, uint32_t addr, uint32_t value,
			      int size)
{
	SspciState *s = SSPCI(pci);
	uint16_t command;

	advance();
	pci_default_write_config(pci, addr, value, size);
	command = pci_get_word(pci->config + PCI_COMMAND);
	s5933_set_master(&s->board.chip, command & PCI_COMMAND_MASTER);
	settle();
}

/* --- properties: the registers of the bench, by name ---------------------- */

static void get_property(Object *obj, Visitor *v, const char *name,
			 void *opaque, Error **errp)
{
	const struct bench_reg *reg = opaque;
	SspciState *s = SSPCI(obj);
	g_autofree char *text = NULL;
	uint32_t value;

	advance();
	value = bench_get(&s->board, reg);
	settle();
	if (reg->choices) {
		text = g_strdup(reg->choices[value]);
		visit_type_str(v, name, &text, errp);
	} else {
		visit_type_uint32(v, name, &value, errp);
	}
}

static bool visit_value(Visitor *v, const struct bench_reg *reg,
			uint32_t *value, Error **errp)
{
	g_autofree char *text = NULL;

	if (!reg->choices)
		return visit_type_uint32(v, reg->name, value, errp);
	if (!visit_type_str(v, reg->name, &text, errp))
		return false;
	if (bench_parse(reg, text, value))
		return true;
	error_setg(errp, "%s: what is '%s'?", reg->name, text);
	return false;
}

static void set_property(Object *obj, Visitor *v, const char *name,
			 void *opaque, Error **errp)
{
	const struct bench_reg *reg = opaque;
	SspciState *s = SSPCI(obj);
	uint32_t value;

	if (!visit_value(v, reg, &value, errp))
		return;
	advance();
	if (!bench_set(&s->board, reg, value))
		error_setg(errp, "%s: read only, or %u is out of range", name,
			   value);
	settle();
}

static void add_properties(ObjectClass *class)
{
	const struct bench_reg *reg;

	for (reg = bench_regs; reg->name; reg++)
		if (strcmp(reg->name, "id"))
			object_class_property_add(class, reg->name,
						  reg->choices ? "str" : "uint32",
						  get_property, set_property,
						  NULL, (void *)reg);
}

/* --- faults --------------------------------------------------------------- */

/* At the end, report the faults that no test has cleared; vm reads the report. */
static void report_faults(SspciState *s)
{
	uint32_t faults = bench_faults(&s->board);
	const struct bench_reg *reg;

	if (!faults)
		return;
	fprintf(stderr, "sspci: card %u saw %u faults of the software:",
		s->index, faults);
	for (reg = bench_regs; reg->name; reg++)
		if (g_str_has_prefix(reg->name, "fault-") &&
		    bench_get(&s->board, reg))
			fprintf(stderr, " %s %u", reg->name + strlen("fault-"),
				bench_get(&s->board, reg));
	fputc('\n', stderr);
}

static void on_exit_of_qemu(Notifier *notifier, void *data)
{
	int i;

	for (i = 0; i < BENCH_BOARDS; i++)
		if (cards[i])
			report_faults(cards[i]);
}

static Notifier exit_notifier = { .notify = on_exit_of_qemu };

/* --- life of a card ------------------------------------------------------- */

static void init_world(void)
{
	if (timer)
		return;
	timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, on_timer, NULL);
	qemu_add_exit_notifier(&exit_notifier);
}

static bool take_index(SspciState *s, Error **errp)
{
	for (s->index = 0; s->index < BENCH_BOARDS; s->index++)
		if (!cards[s->index]) {
			cards[s->index] = s;
			return true;
		}
	error_setg(errp, "no more than %u cards", BENCH_BOARDS);
	return false;
}

static bool are_peers(const SspciState *a, const SspciState *b)
{
	return b->pci.qdev.id && !g_strcmp0(a->peer, b->pci.qdev.id);
}

static void find_peer(SspciState *s, Error **errp)
{
	SspciState *other;
	int i;

	for (i = 0; i < BENCH_BOARDS; i++) {
		other = cards[i];
		if (!other || other == s || other->board.peer ||
		    !(are_peers(s, other) || are_peers(other, s)))
			continue;
		if (!board_connect(&s->board, &other->board))
			error_setg(errp, "a peer of an sspci is an sps");
		return;
	}
}

static void add_bar(SspciState *s)
{
	memory_region_init_io(&s->bar, OBJECT(s), &card_ops, s, TYPE_SSPCI,
			      s->size);
	pci_register_bar(&s->pci, 0, s->io ? PCI_BASE_ADDRESS_SPACE_IO :
					     PCI_BASE_ADDRESS_SPACE_MEMORY,
			 &s->bar);
}

static void card_realize(PCIDevice *pci, Error **errp)
{
	SspciState *s = SSPCI(pci);

	if (!take_index(s, errp))
		return;
	init_world();
	advance();
	pci_config_set_device_id(pci->config, s->device_id);
	pci_config_set_interrupt_pin(pci->config, s->intx);
	if (s->size)
		add_bar(s);
	board_add(&s->board);
	find_peer(s, errp);
	settle();
}

static void card_exit(PCIDevice *pci)
{
	SspciState *s = SSPCI(pci);

	advance();
	report_faults(s);
	board_remove(&s->board);
	cards[s->index] = NULL;
	settle();
}

static void card_reset(DeviceState *dev)
{
	SspciState *s = SSPCI(dev);

	advance();
	board_reset(&s->board);
	settle();
}

static void card_instance_init(Object *obj)
{
	SspciState *s = SSPCI(obj);

	board_init(&s->board, &world, &board_ops, s);
}

/* The source card has another id, and no source of events. */
static void sps_instance_init(Object *obj)
{
	SspciState *s = SSPCI(obj);

	board_make_source(&s->board);
	s->device_id = BOARD_SOURCE;
}

static void sps_class_init(ObjectClass *class, void *data)
{
	DEVICE_CLASS(class)->desc = "S-LINK source card: AMCC S5933";
}

/* --- the bench ------------------------------------------------------------ */

static struct board *board_of(hwaddr addr)
{
	SspciState *s = cards[addr / BENCH_WINDOW];

	return s ? &s->board : NULL;
}

static uint64_t bench_bar_read(void *opaque, hwaddr addr, unsigned int size)
{
	uint32_t value;

	if (!timer || advancing)
		return UINT32_MAX;
	advance();
	value = bench_read(board_of(addr), addr % BENCH_WINDOW);
	settle();
	return value;
}

static void bench_bar_write(void *opaque, hwaddr addr, uint64_t value,
			    unsigned int size)
{
	if (!timer || advancing)
		return;
	advance();
	bench_write(board_of(addr), addr % BENCH_WINDOW, value);
	settle();
}

static const MemoryRegionOps bench_ops = {
	.read = bench_bar_read,
	.write = bench_bar_write,
	ACCESS_32
};

static void bench_realize(PCIDevice *pci, Error **errp)
{
	SspciBenchState *s = SSPCI_BENCH(pci);

	memory_region_init_io(&s->bar, OBJECT(s), &bench_ops, s,
			      TYPE_SSPCI_BENCH, BENCH_SIZE);
	pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->bar);
}

/* --- types ---------------------------------------------------------------- */

/* A shared object built with the headers of another QEMU would have undefined behaviour. */
static void check_version(void)
{
#ifdef SSPCI_QEMU_VERSION
	VersionInfo *v = qmp_query_version(NULL);
	g_autofree char *runs = g_strdup_printf("%" PRId64 ".%" PRId64 ".%"
						PRId64, v->qemu->major,
						v->qemu->minor, v->qemu->micro);

	if (strcmp(runs, SSPCI_QEMU_VERSION)) {
		fprintf(stderr, "sspci: built for QEMU %s, this is %s\n",
			SSPCI_QEMU_VERSION, runs);
		exit(1);
	}
	qapi_free_VersionInfo(v);
#endif
}

DEFINE_PROPERTIES(card_properties,
		  DEFINE_PROP_BOOL("io", SspciState, io, false),
		  DEFINE_PROP_BOOL("intx", SspciState, intx, true),
		  DEFINE_PROP_UINT32("bar-size", SspciState, size, S5933_SIZE),
		  DEFINE_PROP_UINT32("device-id", SspciState, device_id, BOARD_DEVICE),
		  DEFINE_PROP_STRING("peer", SspciState, peer));
DEFINE_SAVED(card_state, TYPE_SSPCI, SspciState);
DEFINE_SAVED(bench_state, TYPE_SSPCI_BENCH, SspciBenchState);

static void card_class_init(ObjectClass *class, void *data)
{
	DeviceClass *dev = DEVICE_CLASS(class);
	PCIDeviceClass *pci = PCI_DEVICE_CLASS(class);

	check_version();
	pci->realize = card_realize;
	pci->exit = card_exit;
	pci->config_write = card_config_write;
	pci->vendor_id = BOARD_VENDOR;
	pci->device_id = BOARD_DEVICE;
	pci->class_id = BOARD_CLASS >> 8;
	dev->vmsd = &card_state;
	dev->desc = "S-LINK destination card: AMCC S5933 and external FIFO";
	set_reset(dev, card_reset);
	device_class_set_props(dev, card_properties);
	add_properties(class);
}

static void bench_class_init(ObjectClass *class, void *data)
{
	PCIDeviceClass *pci = PCI_DEVICE_CLASS(class);

	pci->realize = bench_realize;
	pci->vendor_id = BENCH_VENDOR;
	pci->device_id = BENCH_DEVICE;
	pci->class_id = PCI_CLASS_OTHERS;
	DEVICE_CLASS(class)->vmsd = &bench_state;
	DEVICE_CLASS(class)->desc = "test bench of the sspci devices";
}

static const TypeInfo types[] = {
	{
		PCI_TYPE(TYPE_SSPCI, SspciState),
		.instance_init = card_instance_init,
		.class_init = card_class_init,
	}, {
		.name = TYPE_SPS,
		.parent = TYPE_SSPCI,
		.instance_init = sps_instance_init,
		.class_init = sps_class_init,
	}, {
		PCI_TYPE(TYPE_SSPCI_BENCH, SspciBenchState),
		.class_init = bench_class_init,
	},
};

DEFINE_TYPES(types)
