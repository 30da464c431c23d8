/* SPDX-License-Identifier: GPL-2.0-only */
/* xdma.h: a card with AMD's DMA/Bridge Subsystem for PCI Express, its engines */
#ifndef ZIO_XDMA_H
#define ZIO_XDMA_H

#include <linux/io.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/zio-dma.h>
#include <linux/zio-stream.h>
#include <linux/zio.h>

#include "regs.h"

/* Descriptors per engine: a power of two */
#define XDMA_RING	1024

/* Maximum number of blocks per engine in flight: a power of two */
#define XDMA_DEPTH	64

/* After this many errors in a row, the set of an engine fails. */
#define XDMA_MAX_ERRORS	16

/* drv_alarms of a block */
#define XDMA_ALARM_ERROR	BIT(0)	/* the engine reported an error before this block */
#define XDMA_ALARM_CUT		BIT(1)	/* bytes behind the last whole sample are missing */
#define XDMA_ALARM_RESET	BIT(2)	/* the card was reset before: packets may be gone */

/* A value of each block: 1 if the packet ends with it */
#define XDMA_VALUE_EOP		0

/**
 * struct xdma_packet - an output block in flight
 * @block: the block
 * @end: the descriptor count at which it ends
 */
struct xdma_packet {
	struct zio_block *block;
	u32 end;
};

/**
 * struct xdma_engine - a DMA engine
 * @card: its card
 * @base: its registers
 * @line: its line of the channel interrupts
 * @irq: its interrupt
 * @cset: its channel set, during a transfer; NULL before the first one
 * @chan: the channel
 * @lock: protects @head and the subsequent writes to the descriptor ring; output: all below
 * @desc: XDMA_RING descriptors
 * @result: as many results
 * @desc_addr: bus address of @desc
 * @result_addr: bus address of @result
 * @head: descriptors filled, under @lock
 * @tail: descriptors done; input: written by the interrupt handler
 * @credits_now: descriptors filled but not yet given to the engine, under @lock
 * @is_on: a transfer is in progress, under @lock
 * @is_down: the card has no power or no bus, so no register is touched; under @lock
 * @stopping: only one context at a time stops or restarts the engine
 * @errors: errors reported by the engine
 * @errors_in_row: the same, since the last completed descriptor
 * @fail_work: ends the transfer after too many of them
 * @packet: output: blocks in flight
 * @taken: output: blocks taken
 * @filled: output: blocks with descriptors
 * @done: output: blocks sent or dropped
 * @pos: output: bytes with descriptors of the block behind @filled
 * @begun: output: @tail when the engine was started
 */
struct xdma_engine {
	struct xdma_card *card;
	void __iomem *base;
	unsigned int line;
	int irq;
	struct zio_cset *cset;
	struct zio_channel *chan;
	spinlock_t lock;	/* head, credits_now, is_on, is_down */
	struct mutex stopping;	/* as above */
	struct xdma_desc *desc;
	struct xdma_result *result;
	dma_addr_t desc_addr;
	dma_addr_t result_addr;
	u32 head;
	u32 tail;
	u32 credits_now;
	bool is_on;
	bool is_down;
	u32 errors;
	u32 errors_in_row;
	struct work_struct fail_work;
	struct xdma_packet packet[XDMA_DEPTH];
	u32 taken;
	u32 filled;
	u32 done;
	size_t pos;
	u32 begun;
};

struct xdma_card {
	struct pci_dev *pdev;
	struct device *dev;
	void __iomem *base;
	unsigned int n_h2c;
	unsigned int n_c2h;
	unsigned int n_user;	/* user interrupts with their own vector */
	struct delayed_work watch;
	struct xdma_engine engine[2 * XDMA_MAX_ENGINES];	/* H2C first */
	struct zio_cset_desc cset[2 * XDMA_MAX_ENGINES];	/* C2H first */
	struct zio_device_desc desc;
};

static inline struct xdma_engine *xdma_engine_of(struct zio_cset *cset)
{
	struct xdma_card *card = zio_cset_priv(cset);
	unsigned int i = zio_cset_index(cset);

	return &card->engine[i < card->n_c2h ? card->n_h2c + i : i - card->n_c2h];
}

static inline u32 xdma_read(const struct xdma_engine *engine, unsigned int reg)
{
	return readl(engine->base + reg);
}

static inline void xdma_write(const struct xdma_engine *engine, unsigned int reg, u32 value)
{
	writel(value, engine->base + reg);
}

/* engine.c */
#define XDMA_N_ATTRS	1
extern const struct zio_attr_desc xdma_set_attrs[XDMA_N_ATTRS];
int xdma_init_set(struct zio_cset *cset);
int xdma_attr_get(struct zio_cset *cset, struct zio_channel *chan,
		  const struct zio_attr_desc *attr, u32 *value);
void xdma_start(struct xdma_engine *engine, u32 index);
void xdma_give_credits(struct xdma_engine *engine);
void xdma_stop(struct xdma_engine *engine);
u32 xdma_take_status(struct xdma_engine *engine);
void xdma_silence(struct xdma_engine *engine);
void xdma_end(struct xdma_engine *engine);
void xdma_route_interrupts(struct xdma_card *card);

/* Context: Any; engine->lock is held. Returns true if the hardware is in a transfer. */
static inline bool xdma_runs(const struct xdma_engine *engine)
{
	return engine->is_on && !engine->is_down;
}

/*
 * input.c, output.c: in *_halt() and *_restart() the engine is down. There and in
 * *_finish(), its interrupt is off or the caller is its handler; engine->stopping is held
 */
void xdma_input_event(struct xdma_engine *engine, u32 status);
void xdma_output_event(struct xdma_engine *engine, u32 status);
void xdma_input_finish(struct xdma_engine *engine);
void xdma_output_finish(struct xdma_engine *engine);
void xdma_input_halt(struct xdma_engine *engine);
void xdma_input_restart(struct xdma_engine *engine);
void xdma_output_halt(struct xdma_engine *engine, bool has_stopped);
void xdma_output_restart(struct xdma_engine *engine);
extern const struct zio_cset_desc xdma_input_desc;
extern const struct zio_cset_desc xdma_output_desc;

/* power.c */
extern const struct dev_pm_ops xdma_pm_ops;
extern const struct pci_error_handlers xdma_err_handler;

static inline bool xdma_is_input(const struct xdma_engine *engine)
{
	return engine->line >= engine->card->n_h2c;
}

#endif /* ZIO_XDMA_H */
