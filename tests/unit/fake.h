/* SPDX-License-Identifier: GPL-2.0-only */
/* fake.h: files and FIFOs that stand for the nodes of a channel */
#ifndef ZIO_FAKE_H
#define ZIO_FAKE_H

#include <limits.h>
#include <sys/stat.h>

#include "libzio/zio.h"

/* The directory of the test, which goes when the test ends */
extern char dir[PATH_MAX / 4];
void make_dir(void);

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

/* Does zio_reason() have @text? If not, print what it is. */
bool reason_has(struct zio_channel *ch, const char *text);

#endif /* ZIO_FAKE_H */
