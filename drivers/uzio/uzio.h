/* SPDX-License-Identifier: GPL-2.0-only */
/* uzio.h: the state of a device whose driver is a program */
#ifndef UZIO_H
#define UZIO_H

#include <linux/bits.h>
#include <linux/device.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/zio-uzio.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/zio-program.h>
#include <linux/zio.h>

#define UZIO_MESSAGE_SIZE	128

/* Room for values in each buffer of an exchange, beside the largest request of a set */
#define UZIO_VALUES_SIZE	(16 * sizeof(struct uzio_value))

/*
 * A channel. The memory is what the program may map: set->mutex to change it, dev->lock too. The
 * rest is that of the stream that the program has.
 */
struct uzio_memory {
	struct zio_area *area;
	u32 map;	/* token of the area, see UZIO_MAP_SHIFT */
	u32 in_flight;	/* blocks that the program has */
	struct zio_channel *chan;	/* NULL: the stream does without it */
};

/*
 * A set. @mutex is held by whoever touches the armed blocks: stop_io() takes it, so the blocks
 * stay the driver's meanwhile. No holder touches user memory. The fields behind it are those of
 * dev->lock.
 *
 *	armed, held == 0	the request waits in dev->ready
 *	armed, held == gen	the program fills the blocks
 *	held && !armed		the core has taken the blocks back: the program is to answer
 *	held && held != gen	the same, and the set is armed again: the request follows
 *
 * A stream is armed from its start to its end. While the program has it, the set is in dev->ready
 * when there may be free blocks.
 */
struct uzio_chanset {
	struct uzio *dev;
	struct zio_cset *cset;
	struct uzio_memory *memory;	/* of each channel */
	u32 max_samples;
	u32 max_shots;
	u32 max_blocks;		/* of a request */
	u32 n_blocks;		/* of the request that the program has: with @mutex held */
	u32 value_mask;		/* positions with a value of each block */
	struct zio_timing timing;	/* after uzio_describe(): with dev->lock held */
	bool has_clock;
	bool is_stream;
	bool is_output;
	struct zio_scaling scaling;
	char name[UZIO_NAME_LEN];
	char clock[UZIO_NAME_LEN];
	struct mutex mutex;	/* over the armed blocks, and memory */

	struct list_head ready;	/* in dev->ready: there is a request, or may be */
	bool armed;
	u64 gen;		/* id of the last arming */
	u64 held;		/* id of the request that the program has, or 0 */
	bool owes;		/* the program is to fetch a request, or to answer an abort */
	unsigned long since;	/* jiffies, while it owes */
};

/* An attribute, at its position in the description */
struct uzio_attribute {
	char name[UZIO_ATTR_NAME_LEN];
	u32 *choices;
	const struct zio_attr_desc *desc;	/* in dev->attr_desc */
	u16 set;				/* or UZIO_DEVICE */
	bool of_channels;
};

/*
 * A file of /dev/uzio, and its device. @plug is held while the device is made or unplugged. From
 * @live on, the sets stay until the file ends. @exchange protects the two buffers; its holder
 * may sleep for user memory, so nothing but an exchange takes it.
 */
struct uzio {
	struct mutex plug;		/* over the device as a whole */
	struct zio_device *zdev;	/* NULL: none, or unplugged */
	struct zio_device_desc desc;
	struct zio_cset_desc *cset;
	struct uzio_chanset *set;
	unsigned int n_sets;
	unsigned int n_chan;		/* of all sets */
	struct uzio_attribute *attr;
	struct zio_attr_desc *attr_desc;	/* sorted by what has the attributes */
	unsigned int n_attrs;
	struct device_attribute refusal_file;
	struct zio_charge charge;
	struct delayed_work watch;
	unsigned long timeout;		/* jiffies */
	char name[ZIO_OBJ_NAME_LEN];
	char message[UZIO_MESSAGE_SIZE];

	struct mutex exchange;		/* over the two buffers */
	void *in, *out;			/* records of the program, and for it */
	u32 buffer_size;		/* of each */
	u32 out_len;			/* requests that the program has not got */

	wait_queue_head_t wq;
	spinlock_t lock;		/* over all that follows, and the state of the sets */
	struct list_head ready;
	bool live;
	bool dead;
	u32 late;
	u32 next_map;
	struct list_head asks, asked;	/* users who wait for a value: see attrs.c */
	u64 last_ask, last_fetched;
	struct pid *server;		/* the process that serves the device */
	char refusal[UZIO_REASON_LEN + 2 * UZIO_ATTR_NAME_LEN];
};

static inline size_t uzio_arm_size(u32 n_blocks)
{
	return sizeof(struct uzio_arm) + n_blocks * sizeof(struct uzio_block);
}

/* A request of any type fits into so many bytes, that of a stream with a block of each channel. */
static inline size_t uzio_request_size(u32 n_chan)
{
	return max(uzio_arm_size(n_chan),
		   n_chan * (sizeof(struct uzio_blocks) + sizeof(struct uzio_place)));
}

/* describe.c */
int uzio_describe(struct uzio *dev, const struct uzio_create *create);
void uzio_forget(struct uzio *dev);
int __printf(3, 4) describe_refuse(struct uzio *dev, int error, const char *fmt, ...);
int uzio_check_scaling(struct uzio *dev, unsigned int index, const struct uzio_scaling *from);
void uzio_convert_scaling(struct zio_scaling *to, const struct uzio_scaling *from);

#define UZIO_MAX_FIRST		(3600LL * 1000 * NSEC_PER_SEC)	/* ps */
#define UZIO_SCALING_FLAGS	\
	(UZIO_SCALING_VALID | UZIO_SCALING_SIGNED | UZIO_SCALING_WRITABLE)

/* describe-attrs.c */
int uzio_describe_attrs(struct uzio *dev, const struct uzio_create *create);
void uzio_forget_attrs(struct uzio *dev);

/* state.c */
void uzio_look_for_blocks(struct uzio_chanset *set);
int uzio_judge(struct uzio_chanset *set, u64 id);
void uzio_find_memory(struct uzio_chanset *set, struct zio_channel *chan, struct uzio_block *to);
bool uzio_filled_is_right(const struct uzio_chanset *set, const struct zio_block *block,
			  const struct uzio_filled *filled);

/* requests.c */
extern struct workqueue_struct *uzio_wq;
extern const struct zio_cset_ops uzio_armed_ops;
extern const struct zio_cset_ops uzio_stream_ops;
bool uzio_owes_step(struct uzio *dev, unsigned long *end);
u32 uzio_collect(struct uzio *dev);
int uzio_answer_done(struct uzio_chanset *set, const struct uzio_done *done);
int uzio_answer_fail(struct uzio_chanset *set, const struct uzio_fail *fail);

int uzio_answer_block_values(struct uzio_chanset *set, const struct uzio_block_values *values);

/* streams.c */
u32 uzio_stream_start(struct uzio_chanset *set, struct uzio_arm *arm);
u32 uzio_stream_take(struct uzio_chanset *set, void *to, u32 room);
int uzio_answer_complete(struct uzio_chanset *set, const struct uzio_complete *complete);

/* timing.c */
int uzio_answer_timing(struct uzio *dev, const struct uzio_timing *timing);
int uzio_answer_scale(struct uzio *dev, const struct uzio_scale *scale);

/* attrs.c */
#define UZIO_REFUSAL	"refusal"
extern const struct zio_device_ops uzio_device_ops;
int uzio_request_attr(struct zio_cset *cset, struct zio_channel *chan,
		      const struct zio_attr_desc *desc, u32 value);
void uzio_note_server(struct uzio *dev);
u32 uzio_collect_values(struct uzio *dev, void *buffer, u32 size);
int uzio_answer_value(struct uzio *dev, const struct uzio_value *value);
int uzio_answer_refuse(struct uzio *dev, const struct uzio_refuse *refuse);
int uzio_add_refusal(struct uzio *dev);

/* exchange.c */
long uzio_exchange(struct uzio *dev, struct uzio_exchange *ex, bool nonblock);
bool uzio_has_request(struct uzio *dev);

/*
 * mmap() gets the token of an area in its offset, and no place in the area. The shift keeps the
 * colours of an aliasing cache, and leaves 20 bits for the token on a machine with 32 bits.
 */
#define UZIO_MAP_SHIFT	24
#define UZIO_MAP_MAX	(BIT(20) - 1)

#endif
