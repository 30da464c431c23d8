// SPDX-License-Identifier: GPL-2.0-only
/* dma_test.c: the memory that a board can address */
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/sizes.h>
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

static void page_is_found_by_offset(struct kunit *test)
{
	struct zio_block block = { .len = 2 * PAGE_SIZE };

	block.data = test_vmalloc(test, block.len);
	KUNIT_EXPECT_PTR_EQ(test, zio_block_page(&block, PAGE_SIZE - 1),
			    vmalloc_to_page(block.data));
	KUNIT_EXPECT_PTR_EQ(test, zio_block_page(&block, PAGE_SIZE),
			    vmalloc_to_page(block.data + PAGE_SIZE));
}

static struct kunit_case dma_cases[] = {
	KUNIT_CASE(limit_is_exact),
	KUNIT_CASE(highest_page_decides),
	KUNIT_CASE(page_is_found_by_offset),
	{}
};

TEST_SUITE("zio-dma", dma_cases);
