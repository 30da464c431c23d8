/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zio-program.h: the interface for a driver whose board is a program
 *
 * The program writes or plays the samples of a block itself, through a mapping of the area that
 * the block is in. A set with ZIO_CSET_MAPPED has such blocks only. drivers/uzio is the user. A
 * program reaches no memory but the areas of its own channels: what an output with this flag shall
 * play of an input, the core copies.
 */
#ifndef _LINUX_ZIO_PROGRAM_H
#define _LINUX_ZIO_PROGRAM_H

#include <linux/types.h>
#include <linux/zio-user.h>

struct mm_struct;
struct seq_file;
struct vm_area_struct;
struct zio_area;
struct zio_block;
struct zio_channel;

/**
 * struct zio_charge - memory that a file of a user keeps
 * @mm: of the process that is charged; NULL: nothing is charged
 * @pages: how many
 */
struct zio_charge {
	struct mm_struct *mm;
	unsigned long pages;
};

int zio_charge(struct zio_charge *charge, size_t bytes);
void zio_uncharge(struct zio_charge *charge, size_t bytes);
void zio_charge_show(const struct zio_charge *charge, struct seq_file *to);

struct zio_area *zio_channel_area(struct zio_channel *chan);
size_t zio_area_size(const struct zio_area *area);
int zio_area_map(struct zio_area *area, struct vm_area_struct *vma, bool write);
struct zio_area *zio_area_ref(struct zio_area *area);
void zio_area_put(struct zio_area *area);
u64 zio_block_offset(const struct zio_block *block);
bool zio_attr_name_is_free(enum zio_object_type kind, const char *name);

#endif /* _LINUX_ZIO_PROGRAM_H */
