/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dmaengine.h: what the driver's files share
 *
 *   main.c      channels and descriptors; the life of a device
 *   sg.c        each block is its own transfer, without a copy. Inputs and outputs
 *   cyclic.c    the channel fills a ring of the driver endlessly; blocks are copies
 *
 * A channel that stops with an error may never call back. So while a stream runs, a work
 * item, the watch, checks the channel's state once a second.
 */
#ifndef _ZIO_DMAENGINE_H
#define _ZIO_DMAENGINE_H

#include <linux/dmaengine.h>
#include <linux/scatterlist.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/zio-dma.h>
#include <linux/zio-stream.h>

/* Alarms of the driver */
#define ZDMA_ALARM_ERROR	BIT(0)	/* the transfer failed; the samples may be wrong */
#define ZDMA_ALARM_LAPPED	BIT(1)	/* the ring was lapped: at least so many are lost */

/* The state of an output's newest transfer if it is cyclic; see sg.c */
enum zdma_cycle {
	ZDMA_NO_CYCLE,
	ZDMA_FIRST_TURN,
	ZDMA_TURNED,		/* the block was played once: its successor may end it */
	ZDMA_BROKEN,
};

/* Maximum number of segments per block, with pieces of any size */
#define ZDMA_MAX_SEGMENTS	64

struct zdma_device;

/* The argument of a callback, which identifies its block */
struct zdma_transfer {
	struct zdma_device *zdma;
	struct zio_block *block;
};

/* See sg.c. The transfers from @tail to @head are in progress. */
struct zdma_sg {
	spinlock_t lock;	/* take, prepare, submit: one context at a time */
	bool running;		/* the channel may get descriptors */
	struct zio_block *parked; /* taken but not submitted */
	struct zio_block *behind; /* its successor, if the channel repeats blocks */
	enum zdma_cycle cycle;	/* written by submit, then callback, then work item */
	struct zdma_transfer *transfer;	/* a ring for all blocks that can be in flight */
	unsigned int mask;	/* its length, a power of two, minus 1 */
	unsigned int head;	/* protected by the lock */
	unsigned int tail;	/* written only by the channel's callback */
	unsigned int tries;	/* for the parked block, with no transfer in progress */
	struct delayed_work retry;
	struct scatterlist list[ZDMA_MAX_SEGMENTS];
};

/* A mark at the end of each period that the driver has copied; see cyclic.c */
struct zdma_mark {
	u8 byte[8];
};

/* See cyclic.c */
struct zdma_cyclic {
	void *ring;
	dma_addr_t addr;
	size_t period;
	unsigned int n_periods;
	unsigned int next;	/* period to copy next */
	bool is_marked;		/* its end is marked, although it is new */
	struct zdma_mark mark;
};

struct zdma_device {
	struct device *dev;
	struct dma_chan *chan;
	struct device *dma_dev;	/* the memory is mapped for it */
	struct dma_slave_config config;
	struct zio_channel *zio_chan;
	struct zio_cset *cset;
	dma_cookie_t cookie;	/* of the newest transfer; 0: none so far */
	bool has_failed;	/* the channel has reported an error that ends the stream */
	struct delayed_work watch;
	bool is_output;
	struct zio_device_desc desc;
	struct zio_cset_desc cset_desc;
	union {
		struct zdma_sg sg;
		struct zdma_cyclic cyclic;
	};
};

extern const struct zio_cset_ops zdma_sg_ops;
extern const struct zio_cset_ops zdma_cyclic_ops;

static inline int zdma_init_cset(struct zio_cset *cset)
{
	struct zdma_device *zdma = zio_cset_priv(cset);

	zdma->cset = cset;
	return 0;
}

static inline void zdma_start_watch(struct zdma_device *zdma)
{
	WRITE_ONCE(zdma->has_failed, false);
	schedule_delayed_work(&zdma->watch, HZ);
}

static inline bool zdma_has_stopped(struct zdma_device *zdma)
{
	dma_cookie_t cookie = READ_ONCE(zdma->cookie);

	return READ_ONCE(zdma->has_failed) ||
		(cookie > 0 && dmaengine_tx_status(zdma->chan, cookie, NULL) == DMA_ERROR);
}

static inline void zdma_report_stop(const struct zdma_device *zdma)
{
	dev_err_ratelimited(zdma->dev, "%s has stopped with an error\n",
			    dma_chan_name(zdma->chan));
}

/* The controller may have lost the transfers, so the core restarts the stream. */
static inline bool zdma_resumed(struct zio_cset *cset)
{
	return true;
}

/* Removes a partial sample, which a short transfer may leave. */
static inline void zdma_finish_block(struct zdma_device *zdma, struct zio_block *block)
{
	block->len -= block->len % zdma->cset_desc.ssize;
	zio_cset_stamp_end(zdma->cset, block);
}

/* After this the channel calls no function of the driver. */
static inline void zdma_stop(struct zdma_device *zdma)
{
	dmaengine_terminate_sync(zdma->chan);
}

#endif /* _ZIO_DMAENGINE_H */
