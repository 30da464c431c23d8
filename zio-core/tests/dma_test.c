// SPDX-License-Identifier: GPL-2.0-only
/* dma_test.c: the memory that a board can address, and scatterlists of blocks */
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/zio-dma.h>

#include "test-device.h"

/* The machine has more memory than these bits can address. */
#define BITS	27

/* zio_memory_is_below() computes with addresses, and does not access the memory. */
static bool is_below(phys_addr_t at, size_t len, unsigned int bits)
{
	return zio_memory_is_below(__va(at), len, bits);
}

static void limit_is_exact(struct kunit *test)
{
	phys_addr_t end = BIT_ULL(BITS);

	if (totalram_pages() <= 2 * PFN_DOWN(end))
		kunit_skip(test, "too little memory");
	KUNIT_EXPECT_TRUE(test, is_below(end - 1, 1, BITS));
	KUNIT_EXPECT_FALSE(test, is_below(end, 1, BITS));
	KUNIT_EXPECT_TRUE(test, is_below(end, 1, BITS + 1));
	KUNIT_EXPECT_TRUE(test, is_below(end - PAGE_SIZE, PAGE_SIZE, BITS));
	KUNIT_EXPECT_FALSE(test, is_below(end - PAGE_SIZE, PAGE_SIZE, BITS - 1));
	KUNIT_EXPECT_FALSE(test, is_below(end - PAGE_SIZE, PAGE_SIZE + 1, BITS));
	KUNIT_EXPECT_FALSE(test, is_below(end - 3 * PAGE_SIZE + 8, 3 * PAGE_SIZE, BITS));
	KUNIT_EXPECT_TRUE(test, is_below(end - 3 * PAGE_SIZE + 8, 3 * PAGE_SIZE - 8, BITS));
	KUNIT_EXPECT_TRUE(test, is_below(end - PAGE_SIZE, 0, 1));
	KUNIT_EXPECT_TRUE(test, is_below(end - 1, SZ_64K, 64));
}

/* Each page of an area may be anywhere in memory. */
static void highest_page_decides(struct kunit *test)
{
	const unsigned int n = 16;
	void *mem = test_vmalloc(test, n * PAGE_SIZE);
	phys_addr_t most = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		most = max(most, page_to_phys(vmalloc_to_page(mem + i * PAGE_SIZE)));
	KUNIT_EXPECT_TRUE(test, zio_memory_is_below(mem, n * PAGE_SIZE, fls64(most)));
	KUNIT_EXPECT_FALSE(test, zio_memory_is_below(mem, n * PAGE_SIZE, fls64(most) - 1));
}

/* The segments are the bytes of the block, in order, and each has at most @most bytes. */
static void check_table(struct kunit *test, const struct zio_block *block,
			struct sg_table *sgt, unsigned int most)
{
	struct scatterlist *sg;
	size_t at = 0;
	unsigned int i;

	for_each_sgtable_sg(sgt, sg, i) {
		KUNIT_EXPECT_LE(test, sg->length, most);
		if (at + sg->length > block->len)
			break;
		KUNIT_EXPECT_EQ(test, memcmp(sg_virt(sg), block->data + at, sg->length), 0);
		at += sg->length;
	}
	KUNIT_EXPECT_EQ(test, at, block->len);
}

static void check_block(struct kunit *test, void *data, size_t len, unsigned int most)
{
	struct zio_block block = { .data = data, .size = len, .len = len };
	struct sg_table sgt;

	KUNIT_ASSERT_EQ(test, zio_block_sg(&block, &sgt, most, GFP_KERNEL), 0);
	check_table(test, &block, &sgt, most);
	sg_free_table(&sgt);
}

static void segments_are_the_block(struct kunit *test)
{
	static const size_t at[] = { 0, 8, PAGE_SIZE - 8 };
	static const size_t len[] = {
		8, PAGE_SIZE - 8, PAGE_SIZE, PAGE_SIZE + 8, 3 * PAGE_SIZE,
	};
	u32 *mem = test_vmalloc(test, 5 * PAGE_SIZE);
	struct zio_block empty = { .data = mem };
	unsigned int i, k;
	struct sg_table sgt;

	for (i = 0; i < 5 * PAGE_SIZE / 4; i++)
		mem[i] = i;
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		for (k = 0; k < ARRAY_SIZE(len); k++) {
			check_block(test, (void *)mem + at[i], len[k], UINT_MAX);
			check_block(test, (void *)mem + at[i], len[k], PAGE_SIZE);
		}
	}
	KUNIT_EXPECT_EQ(test, zio_block_sg(&empty, &sgt, UINT_MAX, GFP_KERNEL), -EINVAL);
}

static void page_is_found_by_offset(struct kunit *test)
{
	struct zio_block block = { .len = 2 * PAGE_SIZE };

	block.data = test_vmalloc(test, block.len);
	KUNIT_EXPECT_PTR_EQ(test, zio_block_page(&block, PAGE_SIZE - 1),
			    vmalloc_to_page(block.data));
	KUNIT_EXPECT_PTR_EQ(test, zio_block_page(&block, PAGE_SIZE),
			    vmalloc_to_page(block.data + PAGE_SIZE));
}

/* DMA_API_DEBUG reports a mapping that is undone with another direction or length. */
static void block_is_mapped_for_a_device(struct kunit *test)
{
	struct device *board = test_board_create(test);
	struct zio_block block = { .len = SZ_128K + 8 };
	struct sg_table sgt;

	block.data = test_vmalloc(test, block.len);
	memset(block.data, 7, block.len);
	KUNIT_ASSERT_EQ(test, zio_block_map_dma(board, &block, &sgt, DMA_TO_DEVICE,
						GFP_KERNEL), 0);
	check_table(test, &block, &sgt, dma_get_max_seg_size(board));
	zio_block_unmap_dma(board, &sgt, DMA_TO_DEVICE);
	KUNIT_EXPECT_NULL(test, sgt.sgl);
}

static struct kunit_case dma_cases[] = {
	KUNIT_CASE(limit_is_exact),
	KUNIT_CASE(highest_page_decides),
	KUNIT_CASE(segments_are_the_block),
	KUNIT_CASE(page_is_found_by_offset),
	KUNIT_CASE(block_is_mapped_for_a_device),
	{}
};

TEST_SUITE("zio-dma", dma_cases);
