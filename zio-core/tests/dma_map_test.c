// SPDX-License-Identifier: GPL-2.0-only
/* dma_map_test.c: blocks that are mapped for a board once, and the buffer dma */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/prandom.h>
#include <linux/sizes.h>
#include <linux/zio-dma.h>

#include "test-device.h"

#define BLOCK		10002

static const char *const types[] = { "kmalloc", "vmalloc", "dma" };

/* A device whose board does DMA. Its first buffers are older, and have no map. */
static struct test_device *create_device(struct kunit *test, struct device *board,
					 unsigned long flags)
{
	struct test_device *tdev = test_device_create(test, flags, 1);

	KUNIT_ASSERT_EQ(test, zio_cset_use_dma(tdev->cset, board), 0);
	test_device_use_area(tdev, (struct test_area){ .nsamples = BLOCK / 2 });
	return tdev;
}

static void use_type(struct test_device *tdev, const char *name)
{
	KUNIT_ASSERT_EQ(tdev->test, test_store(&tdev->cset->kobj, "current_buffer", name), 0);
}

static struct zio_block *take(struct test_device *tdev)
{
	struct zio_block *block;

	test_fire(tdev->cset);
	block = zio_queue_pop(&tdev->cset->chan[0]->queue);
	KUNIT_ASSERT_NOT_NULL(tdev->test, block);
	return block;
}

static void put(struct test_device *tdev, struct zio_block *block)
{
	struct zio_buffer *buf = tdev->cset->chan[0]->buf;

	buf->type->ops->put_block(buf, block);
}

/* The address that the DMA API of a machine without IOMMU gives */
static dma_addr_t address_of(const void *at)
{
	return page_to_phys(zio_block_page(&(struct zio_block){ .data = (void *)at }, 0)) +
	       offset_in_page(at);
}

/* Checks the first and the last byte of each segment. Returns how many there are. */
static unsigned int check_segments(struct kunit *test, const struct zio_block *block,
				   size_t most)
{
	unsigned int n = 0;
	dma_addr_t addr;
	size_t pos, len;

	for (pos = 0; pos < block->size; pos += len, n++) {
		len = zio_block_dma(block, pos, &addr);
		KUNIT_ASSERT_GT(test, len, 0);
		KUNIT_ASSERT_LE(test, len, min(most, block->size - pos));
		KUNIT_EXPECT_EQ(test, addr, address_of(block->data + pos));
		KUNIT_EXPECT_EQ(test, addr + len - 1, address_of(block->data + pos + len - 1));
	}
	KUNIT_EXPECT_EQ(test, pos, block->size);
	return n;
}

static void segments_are_the_block(struct kunit *test)
{
	struct test_device *tdev = create_device(test, test_board_create(test), 0);
	struct zio_block *block;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		use_type(tdev, types[i]);
		for (k = 0; k < 30; k++) {
			block = take(tdev);
			check_segments(test, block, SIZE_MAX);
			zio_block_sync_for_device(block, 0, block->size);
			zio_block_sync_for_cpu(block, 1, block->size - 1);
			put(tdev, block);
		}
	}
}

/* What the board writes behind the samples is mapped, too. */
static void trailer_is_mapped(struct kunit *test)
{
	struct test_device *tdev = create_device(test, test_board_create(test), TEST_TRAILER);
	size_t last = BLOCK + TEST_TRAILER_LEN - 1;
	struct zio_block *block;
	dma_addr_t addr;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		use_type(tdev, types[i]);
		block = take(tdev);
		KUNIT_EXPECT_EQ(test, block->size, BLOCK);
		KUNIT_EXPECT_EQ(test, zio_block_dma(block, last, &addr), 1);
		KUNIT_EXPECT_EQ(test, addr, address_of(block->data + last));
		put(tdev, block);
	}
}

static void limits_of_the_device_hold(struct kunit *test)
{
	struct device *board = test_board_create(test);
	struct test_device *tdev;
	struct zio_block *block;

	dma_set_max_seg_size(board, 1000);
	dma_set_seg_boundary(board, SZ_512 - 1);
	tdev = create_device(test, board, 0);
	use_type(tdev, "dma");
	block = take(tdev);
	KUNIT_EXPECT_GE(test, check_segments(test, block, SZ_512), BLOCK / SZ_512);
	put(tdev, block);
	dma_set_seg_boundary(board, U32_MAX);
}

/* Blocks of an area are of any length, and the older ones are not always put first. */
static void each_block_is_one_piece(struct kunit *test)
{
	struct device *board = test_board_create(test);
	struct rnd_state rnd;
	struct test_device *tdev;
	struct zio_block *held[5] = { };
	unsigned int i, at;

	dma_set_seg_boundary(board, SZ_16K - 1);
	tdev = test_device_create(test, ZIO_CSET_ONE_PIECE, 1);
	KUNIT_ASSERT_EQ(test, zio_cset_use_dma(tdev->cset, board), 0);
	prandom_seed_state(&rnd, 12);
	use_type(tdev, "dma");
	KUNIT_ASSERT_EQ(test, test_set_samples(tdev->cset, BLOCK / 2), 0);
	KUNIT_ASSERT_EQ(test, test_store_u32(&tdev->cset->chan[0]->buf->kobj, "max-buffer-kb",
					     256), 0);
	for (i = 0; i < 2000; i++) {
		at = i / ARRAY_SIZE(held) & 1 ? ARRAY_SIZE(held) - 1 - i % ARRAY_SIZE(held) :
						i % ARRAY_SIZE(held);
		if (held[at])
			put(tdev, held[at]);
		tdev->short_by = 2 * (prandom_u32_state(&rnd) % (BLOCK / 2));
		held[at] = take(tdev);
		KUNIT_ASSERT_EQ(test, check_segments(test, held[at], SIZE_MAX), 1);
	}
	for (i = 0; i < ARRAY_SIZE(held); i++)
		put(tdev, held[i]);
	KUNIT_EXPECT_EQ(test, test_set_samples(tdev->cset, SZ_8K + 1), -ENOSPC);
	KUNIT_EXPECT_EQ(test, test_set_samples(tdev->cset, SZ_8K), 0);
	use_type(tdev, "kmalloc");
	KUNIT_EXPECT_EQ(test, test_set_samples(tdev->cset, SZ_8K + 1), -ENOMEM);
}

/* 16 MiB is less than any machine has. The kernel's own memory is elsewhere. */
static void board_with_few_address_lines(struct kunit *test)
{
	struct device *board = test_board_create(test);
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_block *block;
	dma_addr_t addr;
	size_t pos, len;

	if (dma_set_mask(board, DMA_BIT_MASK(24)))
		kunit_skip(test, "this kernel sets no memory aside for 24 address lines");
	KUNIT_ASSERT_EQ(test, zio_cset_use_dma(tdev->cset, board), 0);
	KUNIT_EXPECT_EQ(test, test_store(&tdev->cset->kobj, "current_buffer", "vmalloc"),
			-ENOMEM);
	use_type(tdev, "dma");
	block = take(tdev);
	for (pos = 0; pos < block->size; pos += len) {
		len = zio_block_dma(block, pos, &addr);
		KUNIT_ASSERT_GT(test, len, 0);
		KUNIT_EXPECT_LE(test, addr + len, SZ_16M);
	}
	put(tdev, block);
}

static void area_has_large_pieces(struct kunit *test)
{
	struct test_device *tdev = create_device(test, test_board_create(test), 0);
	struct zio_block *block;

	KUNIT_ASSERT_EQ(test, test_set_samples(tdev->cset, SZ_32K), 0);
	use_type(tdev, "dma");
	block = take(tdev);
	KUNIT_EXPECT_EQ(test, check_segments(test, block, SIZE_MAX), 1);
	put(tdev, block);
}

static void buffer_without_board_is_refused(struct kunit *test)
{
	struct test_device *tdev = test_device_create(test, 0, 1);
	struct zio_block *block;
	dma_addr_t addr;

	KUNIT_EXPECT_EQ(test, test_store(&tdev->cset->kobj, "current_buffer", "dma"),
			-EOPNOTSUPP);
	block = take(tdev);
	KUNIT_EXPECT_EQ(test, zio_block_dma(block, 0, &addr), 0);
	put(tdev, block);
}

static int no_io(struct zio_cset *cset)
{
	return 0;
}

/* The buffer dma is refused if there is no board. */
static void register_board(struct kunit *test, struct device *parent, struct device *dma_dev)
{
	const struct zio_cset_ops ops = { .raw_io = no_io };
	const struct zio_cset_desc cset = {
		.flags = ZIO_CSET_DMA, .n_chan = 1, .ssize = 2, .dma_dev = dma_dev,
		.buffer = "dma", .ops = &ops,
	};
	const struct zio_device_desc desc = {
		.name = "ztest", .owner = THIS_MODULE, .cset = &cset, .n_cset = 1,
	};
	struct zio_device *zdev = zio_device_register(parent, &desc, ZIO_ID_AUTO, NULL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, zdev);
	zio_device_unregister(zdev);
}

static void description_names_the_board(struct kunit *test)
{
	struct device *board = test_board_create(test);

	register_board(test, board, NULL);
	register_board(test, NULL, board);
}

/* Blocks of any size and in any order, while the geometry changes. */
static void maps_follow_the_geometry(struct kunit *test)
{
	struct test_device *tdev = create_device(test, test_board_create(test), 0);
	struct zio_channel_core *chan = tdev->cset->chan[0];
	struct zio_block *block;
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 17);
	for (i = 0; i < 300; i++) {
		use_type(tdev, types[prandom_u32_state(&rnd) % 3]);
		test_set_samples(tdev->cset, 1 + prandom_u32_state(&rnd) % 20000);
		test_set_len(chan, 1 + prandom_u32_state(&rnd) % 20);
		if (chan->buf->area)
			test_set_kb(chan, 64 + prandom_u32_state(&rnd) % 200);
		block = take(tdev);
		check_segments(test, block, SIZE_MAX);
		test_set_samples(tdev->cset, 1 + prandom_u32_state(&rnd) % 20000);
		check_segments(test, block, SIZE_MAX);
		put(tdev, block);
	}
}

/* An output that plays the memory of an input reads memory without a map. */
static void borrowed_memory_has_no_map(struct kunit *test)
{
	struct device *board = test_board_create(test);
	struct test_device *in = create_device(test, board, 0);
	struct test_device *out = create_device(test, board, ZIO_CSET_OUTPUT);
	struct zio_channel_core *chan = out->cset->chan[0];
	struct zio_block *block = take(in), *played;
	dma_addr_t addr;

	played = chan->buf->type->ops->get_block(chan->buf);
	KUNIT_ASSERT_NOT_NULL(test, played);
	KUNIT_EXPECT_GT(test, zio_block_dma(played, 0, &addr), 0);
	KUNIT_EXPECT_EQ(test, zio_share_fill(chan, played, in->cset->chan[0]->buf, block,
					     block->data, BLOCK, false), 0);
	KUNIT_EXPECT_EQ(test, zio_block_dma(played, 0, &addr), 0);
	zio_output_put(chan, played);
	zio_block_put(in->cset->chan[0], block);
}

/* The memory of a block stays with an output when the board of the input is gone. */
static void map_ends_with_the_board(struct kunit *test)
{
	struct device *board = test_board_create(test);
	struct test_device *out = create_device(test, board, ZIO_CSET_OUTPUT), *in;
	struct zio_channel_core *chan = out->cset->chan[0];
	unsigned int refs = kref_read(&board->kobj.kref), i;
	struct zio_block *block, *played;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		in = create_device(test, board, 0);
		use_type(in, types[i]);
		in->fill = true;
		block = take(in);
		played = chan->buf->type->ops->get_block(chan->buf);
		KUNIT_ASSERT_NOT_NULL(test, played);
		KUNIT_EXPECT_EQ(test, zio_share_fill(chan, played, in->cset->chan[0]->buf,
						     block, block->data, BLOCK, false), 0);
		zio_block_put(in->cset->chan[0], block);
		test_device_remove(in);
		KUNIT_EXPECT_EQ(test, kref_read(&board->kobj.kref), refs);
		KUNIT_EXPECT_EQ(test, *(u16 *)played->data, 0);
		zio_output_put(chan, played);
	}
}

static struct kunit_case dma_map_cases[] = {
	KUNIT_CASE(segments_are_the_block),
	KUNIT_CASE(trailer_is_mapped),
	KUNIT_CASE(limits_of_the_device_hold),
	KUNIT_CASE(each_block_is_one_piece),
	KUNIT_CASE(board_with_few_address_lines),
	KUNIT_CASE(area_has_large_pieces),
	KUNIT_CASE(buffer_without_board_is_refused),
	KUNIT_CASE(description_names_the_board),
	KUNIT_CASE(maps_follow_the_geometry),
	KUNIT_CASE(borrowed_memory_has_no_map),
	KUNIT_CASE(map_ends_with_the_board),
	{}
};

TEST_SUITE("zio-dma-map", dma_map_cases);
