/* SPDX-License-Identifier: GPL-2.0-only */
/* fake.h: files and FIFOs that stand for the nodes of a channel */
#ifndef ZIO_FAKE_H
#define ZIO_FAKE_H

#include <limits.h>
#include <sys/stat.h>

#include "assert.h"
#include "libzio/zio.h"

/* The call fails with this errno, and with a reason that has @text. */
#define ASSERT_FAILS(ch, call, code, text) do {				\
	ASSERT_ERRNO(call, code);					\
	ASSERT_HAS(zio_reason(ch), text);				\
} while (0)

/* The expression holds, and its call has refused an argument. */
#define ASSERT_REFUSED(expression) do {					\
	errno = 0;							\
	ASSERT_TRUE(expression);					\
	ASSERT_EQ(errno, EINVAL);					\
} while (0)

/* The directory of the test, which goes when the test ends. This function is a setup. */
extern char dir[PATH_MAX / 4];
void make_dir(const char *value);

/* The channel of the test, which is closed when the test ends; its nodes; and a block */
extern struct zio_channel *ch;
extern char stem[PATH_MAX / 2];
extern struct zio_block blk;

/* Choose other nodes. Return @stem. */
const char *new_stem(void);

/* Close the channel before the test ends. */
void close_channel(void);

/* Return the path of a file in the directory, which three more calls leave as it is. */
const char *in_dir(const char *name);

/* Make the FIFO @path, and open it. The FIFO neither waits nor ends. */
int make_fifo(const char *path);

/* Make the FIFO "<stem>-<suffix>", and open it. */
int make_fifo_of(const char *stem, const char *suffix);

/* The time since boot */
double seconds(void);

/* "sys" and "cfg" in the directory stand for sysfs and configfs. */
void use_tree(void);

/* A signal interrupts @ch while the next call waits. */
void interrupt_soon(struct zio_channel *ch, int flags);

bool fails(int ret, int code);

/* Make a control as the kernel does, with sequence number @seq. */
void fake_control(struct zio_control *control, uint32_t seq,
		  uint32_t nsamples, uint16_t ssize);

/* Return byte @i of the data of block @seq. */
unsigned char fake_byte(uint32_t seq, size_t i);

/* Has the block this number, and @size such bytes? */
bool is_fake(const struct zio_block *blk, uint32_t seq, size_t size);

/* Append to the node "<stem>-ctrl" or "<stem>-data"; 0, or -1 with errno. */
int fake_put_control(const char *stem, const struct zio_control *control);
int fake_put_data(const char *stem, uint32_t seq, size_t size);
int fake_put_bytes(const char *stem, const char *suffix, const void *bytes,
		   size_t size);

/* Append to both nodes. */
int fake_put_block(const char *stem, uint32_t seq, uint32_t nsamples,
		   uint16_t ssize);

/* Write the file "<dir>/<name>", and the directories on the way. */
void fake_put_file(const char *dir, const char *name, const char *text, mode_t mode);

/* Make the file @path, and map it; it has @size zeros. */
void *fake_map(const char *path, size_t size);

#endif /* ZIO_FAKE_H */
