/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of a channel and of its controls. A part of <zio/zio.h>. */
#ifndef LIBZIO_ZIO_INFO_H
#define LIBZIO_ZIO_INFO_H

#ifndef LIBZIO_ZIO_H
#error "include <zio/zio.h>"
#endif

/**
 * zio_method() - return the method that transfers blocks
 * @ch: the channel
 *
 * "ring": control and data are in mapped memory, and no system call is made while blocks
 * are available. "read": read() returns both. An output has "write", a block file "file",
 * a tap "tap".
 *
 * Context: Any thread.
 * Return: a constant string.
 */
const char *zio_method(const struct zio_channel *ch);

/**
 * zio_method_flag() - return the flag of zio_open() for a method
 * @name: "ring", "read", or "auto"
 *
 * Context: Any thread.
 * Return: the flag; 0 for "auto"; -1 for any other name.
 */
int zio_method_flag(const char *name);

/**
 * zio_data_path() - return the path of the data node
 * @ch: the channel
 *
 * Context: Any thread.
 * Return: the path, valid until zio_close(); NULL if the node is not open.
 */
const char *zio_data_path(const struct zio_channel *ch);

/**
 * zio_control_path() - return the path of the control node
 * @ch: the channel
 *
 * Context: Any thread.
 * Return: as zio_data_path().
 */
const char *zio_control_path(const struct zio_channel *ch);

/**
 * zio_stats() - return the counts of blocks, bytes and losses
 * @ch: the channel
 *
 * Context: One thread per channel.
 * Return: the counters, valid until zio_close() and updated with each block.
 */
const struct zio_stats *zio_stats(const struct zio_channel *ch);

/**
 * zio_is_file() - check whether a channel is a block file
 * @ch: the channel
 *
 * Context: Any thread.
 * Return: true for a block file, standard input and output; false for nodes.
 */
bool zio_is_file(const struct zio_channel *ch);

/**
 * zio_control_init() - make a control for zio_write_block()
 * @control: the control; receives version, endianness and lengths, and zero everywhere
 *           else
 * @nsamples: number of samples in the block
 * @ssize: bytes per sample
 *
 * Context: Any thread.
 */
void zio_control_init(struct zio_control *control, uint32_t nsamples,
		      uint16_t ssize);

/**
 * zio_control_size() - compute the size of a block's data
 * @control: the control of the block
 * @size: receives the size in bytes
 *
 * Context: Any thread.
 * Return: 0; -1 with errno EOVERFLOW if a size_t cannot hold it.
 */
int zio_control_size(const struct zio_control *control, size_t *size);

/**
 * zio_sequence_lost() - count the blocks missing between two blocks
 * @next: the expected number: seq_num + 1 of the block before
 * @seq: seq_num of the block
 *
 * Numbers count up by one and wrap from 2^32 - 1 to 0. A number above @next means a loss
 * of less than 2^31 blocks. A number below @next means that the device restarted its
 * count, and nothing is lost; unless the numbers wrapped in between and fewer than 2^24
 * are missing.
 *
 * Context: Any thread.
 * Return: the number of blocks; 0 also if the device restarted its count.
 */
uint32_t zio_sequence_lost(uint32_t next, uint32_t seq);

/**
 * zio_control_shots() - count the shots of a block that the control has times for
 * @control: the control of the block
 *
 * Only recordings of older kernels have several: each shot is a block now.
 *
 * Context: Any thread.
 * Return: 1 to ZIO_MAX_SHOTS; each shot has nsamples divided by this number. 0 with errno
 * EINVAL for NULL.
 */
unsigned int zio_control_shots(const struct zio_control *control);

/**
 * zio_control_shot() - get the time of one shot of a block
 * @control: the control of the block
 * @i: 0 for the first shot, less than zio_control_shots()
 * @time: receives the time, with the bins of the block
 *
 * Context: Any thread.
 * Return: 0; -1 with errno EINVAL for NULL, ENOENT if the block has no such shot.
 */
int zio_control_shot(const struct zio_control *control, unsigned int i,
		     struct zio_timestamp *time);

/**
 * zio_name_text() - make a name in a control safe to print
 * @text: receives the name, with a terminating zero
 * @name: the name of a device or trigger, which need not be terminated
 *
 * Anyone can write a block file, so its names are not trusted. Letters, digits and
 * "_-.:+" are kept; any other character becomes '?'. No terminal, shell or other program
 * can then mistake a part of the text for a command.
 *
 * Context: Any thread.
 */
void zio_name_text(char text[ZIO_OBJ_NAME_LEN + 1], const char *name);

/* The owner of a standard attribute. */
enum zio_attr_owner {
	ZIO_ATTR_OF_CHANNEL,
	ZIO_ATTR_OF_TRIGGER,
	ZIO_ATTR_OF_BUFFER,
};

/**
 * zio_attr_name() - return the name of a standard attribute
 * @owner: owner of the attribute
 * @index: its index in struct zio_ctrl_attr, such as ZIO_ATTR_GAIN
 *
 * Context: Any thread.
 * Return: the name of its file in sysfs as a constant string; NULL if no standard
 * attribute has this index.
 */
const char *zio_attr_name(enum zio_attr_owner owner, unsigned int index);

/**
 * zio_alarm_name() - return the name of an alarm
 * @bit: number of the bit in zio_alarms of a control
 *
 * Context: Any thread.
 * Return: a constant string, such as "lost-block"; NULL if the bit has no name.
 */
const char *zio_alarm_name(unsigned int bit);

/**
 * zio_alarm_text() - print the names of alarms, separated by commas
 * @alarms: zio_alarms of a control
 * @text: receives the text, such as "lost-block,bit6"; may be NULL if @size is 0
 * @size: bytes of @text
 *
 * Context: Any thread.
 * Return: the length of the whole text, like snprintf(3).
 */
int zio_alarm_text(uint8_t alarms, char *text, size_t size);

/**
 * zio_version() - return the version of the library at run time
 *
 * Context: Any thread.
 * Return: a constant string; LIBZIO_VERSION is the version of the header.
 */
const char *zio_version(void);

#endif /* LIBZIO_ZIO_INFO_H */
