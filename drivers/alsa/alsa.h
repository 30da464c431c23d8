/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * alsa.h: what the driver's files share
 *
 *   main.c      devices in configfs, their descriptors, suspend
 *   stream.c    the operations of the sets; the service work of a PCM
 *   run.c       start, restart and watch of a PCM
 *   playback.c  frames from blocks to ALSA in the service
 *   capture.c   frames from ALSA's memory to blocks, in the context of a period
 *   transfer.c  frames in the service: capture where ALSA itself must copy
 *   pcm.c       find, open and close a PCM
 *   params.c    choose format, channels, rate and sizes among what the hardware offers
 */
#ifndef _ZIO_ALSA_H
#define _ZIO_ALSA_H

#include <linux/math64.h>
#include <linux/platform_device.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/zio-pace.h>
#include <linux/zio-stream.h>
#include <sound/core.h>
#include <sound/pcm.h>

/* Driver's alarms */
/* Input: samples are missing before this block. Output: silence despite queued blocks */
#define ALSA_ALARM_GAP		BIT(0)
#define ALSA_ALARM_ESTIMATE	BIT(1)	/* the count of lost blocks is estimated from time */
#define ALSA_ALARM_CUT		BIT(2)	/* output: the block ends inside a frame */

/* What the user asks for; 0: the driver chooses */
struct alsa_wish {
	unsigned int format; /* position in alsa_formats */
	unsigned int rate;
	unsigned int channels;
	unsigned int period; /* frames */
	unsigned int periods;
};

/* A format of samples in the byte order of the machine */
struct alsa_format {
	const char *name;
	snd_pcm_format_t format;
	unsigned int ssize;
	unsigned int nbits;
	bool is_signed;
};

enum alsa_attr { ALSA_RATE, ALSA_PERIOD, ALSA_BUFFER, ALSA_XRUNS, ALSA_STALLS, ALSA_N_ATTRS };

#define ALSA_N_FORMATS	8
extern const struct alsa_format alsa_formats[ALSA_N_FORMATS]; /* [0]: the driver chooses */

/*
 * One direction of a PCM. @mutex is held while the PCM is prepared, started or stopped.
 * @lock protects the fields behind it.
 *
 * The frames of a stream are counted from its start: @head is the position of the hardware
 * at @head_ns (CLOCK_MONOTONIC), @tail is the next frame to copy. @pace tells when each
 * frame was taken.
 */
struct alsa_stream {
	struct device *dev;
	struct snd_pcm_substream *ss;
	struct zio_cset *cset;
	const struct alsa_format *format;
	unsigned int frame_size;
	unsigned int channels;
	unsigned int rate;
	unsigned int msbits;
	unsigned int period;
	unsigned int buffer; /* frames */
	unsigned int guard; /* frames that the hardware may be about to overwrite */
	bool is_output;
	bool in_work; /* the service moves the frames instead of capture.c */
	void *bounce; /* for the service: one period */
	wait_queue_entry_t wait;
	struct delayed_work service;

	struct mutex mutex; /* PCM */
	unsigned long stall_jiffies;
	snd_pcm_uframes_t watched; /* position of the hardware at the last watch */
	unsigned long watched_at;
	bool asleep; /* the machine is suspended */

	struct zio_channel *chan; /* from here on: playback.c */
	unsigned int n_written; /* blocks in flight that are in ALSA's memory */
	size_t given; /* frames of the blocks in flight that were written to ALSA */
	bool primed; /* a short output waits for a second block */
	bool drained; /* the PCM has played everything, and there was no block */

	spinlock_t lock; /* protects the fields from here on */
	wait_queue_head_t idle; /* @pumping is false */
	struct zio_block *block;
	size_t pos; /* for the service: frames of the block that are done */
	size_t frames; /* of the block */
	u64 mask; /* its channels */
	bool wanted; /* from raw_io() to stop_io() */
	bool running;
	bool pumping;
	u32 lost; /* blocks lost before the next one */
	u8 alarms; /* for the next block */
	bool restarted; /* the next block is the first one after a gap */
	s64 due_ns; /* when its first frame would have come */
	snd_pcm_uframes_t hw_ptr;
	u64 head;
	u64 tail;
	s64 head_ns;
	struct zio_pace pace; /* of an input */
	s64 begun_ns; /* time of the first position passed to @pace */
	u64 span; /* measured: this many frames in @span_ns */
	u64 span_ns;
	u32 told_mhz; /* the rate in the controls, in 1/1000 Hz */
	s64 not_before; /* the time of the next block */
	u32 xruns;
	u32 stalls;
};

struct alsa_device {
	struct device *dev;
	struct zio_device_desc desc;
	struct zio_cset_desc cset[2];
	struct zio_scaling scaling[2];
	struct zio_attr_desc attrs[2][ALSA_N_ATTRS];
	struct snd_pcm *pcm;
	unsigned int n_streams;
	struct alsa_stream stream[2];
};

static inline struct alsa_stream *alsa_stream_of(const struct zio_cset *cset)
{
	struct alsa_device *adev = zio_cset_priv(cset);

	return &adev->stream[zio_cset_index(cset)];
}

/* stream.c */
extern const struct zio_cset_ops alsa_input_ops;
extern const struct zio_cset_ops alsa_output_ops;
int alsa_init_stream(struct alsa_stream *s);
void alsa_suspend(struct alsa_stream *s);
void alsa_resume(struct alsa_stream *s);

/* block.c */
extern struct workqueue_struct *alsa_wq;
void alsa_kick(struct alsa_stream *s, unsigned long delay);
void alsa_note_gap(struct alsa_stream *s);
void alsa_restart_pace(struct alsa_stream *s);
void alsa_note_time(struct alsa_stream *s, s64 now_ns);
void alsa_begin_block(struct alsa_stream *s, struct zio_block *block);

/* capture.c */
void alsa_extend_sign(const struct alsa_stream *s, void *at, size_t n);
void *alsa_copy_in(struct alsa_stream *s, void *to, const void *from, size_t frames);
void alsa_note_start(struct alsa_stream *s);
void alsa_capture(struct alsa_stream *s);
void alsa_period(struct alsa_stream *s);

/* run.c; with s->mutex held */
void alsa_set_running(struct alsa_stream *s, bool running, bool is_gap);
int alsa_restart(struct alsa_stream *s);
int alsa_check_progress(struct alsa_stream *s);

/* playback.c; with s->mutex held */
int alsa_play(struct alsa_stream *s);
void alsa_stop_playback(struct alsa_stream *s);

/* transfer.c; in the service work, with s->mutex held */
int alsa_transfer(struct alsa_stream *s);
bool alsa_needs_work(const struct alsa_stream *s);

/* pcm.c */
int alsa_open(struct alsa_device *adev, const char *name);
void alsa_close(struct alsa_device *adev);
int alsa_open_stream(struct alsa_device *adev, struct alsa_stream *s);
void alsa_close_stream(struct alsa_stream *s);

/* params.c */
int alsa_configure(struct alsa_stream *s, const struct alsa_wish *wish);

static inline int alsa_ioctl(struct alsa_stream *s, unsigned int cmd)
{
	return snd_pcm_kernel_ioctl(s->ss, cmd, NULL);
}

static inline bool alsa_has_all_channels(const struct alsa_stream *s)
{
	return hweight64(s->mask) == s->channels;
}

/* Bytes of a frame in a block */
static inline size_t alsa_room_of_frame(const struct alsa_stream *s)
{
	return hweight64(s->mask) * s->format->ssize;
}

/* Uses the measured rate: a card's quartz may be off by some percent. */
static inline s64 alsa_frames_ns(const struct alsa_stream *s, u64 frames)
{
	return mul_u64_u64_div_u64(frames, s->span_ns, s->span);
}

#endif /* _ZIO_ALSA_H */
