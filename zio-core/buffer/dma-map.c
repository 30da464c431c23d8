// SPDX-License-Identifier: GPL-2.0-only
/*
 * dma-map.c: memory of blocks that is mapped for a board once
 *
 * A buffer type maps the memory of its blocks when it makes them, and unmaps it when it
 * frees them. A *map* has the address of each page for the board. So neither an event nor
 * an interrupt calls the DMA API, unless the machine is not coherent or bounces.
 *
 * Each *run* of contiguous pages is one mapping of the DMA API. A run is not longer than
 * the DMA API allows. The same pages give the same runs when they are unmapped.
 *
 * Blocks may outlive the board: an output, a dma-buf or a program has their memory. Their
 * map ends with the board, as a driver must leave no mapping behind. The set has a list of
 * its maps. The context that takes a map from the list unmaps it, under RCU. So the end of
 * the board waits for a grace period, and the other context frees the map after one.
 * Unmapping writes nothing, as DMA_ATTR_SKIP_CPU_SYNC is set: drivers call
 * zio_block_sync_for_cpu() for what they keep.
 */
#include <linux/dma-direct.h>
#include <linux/dma-mapping.h>
#include <linux/export.h>
#include <linux/highmem.h>
#include <linux/iommu.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/zio-dma.h>

#include "buffer/internal.h"

/* The board of a set */
struct zio_dma {
	struct device *dev;
	enum dma_data_direction dir;
	size_t max_segment;
	u64 boundary;		/* a mask: no segment crosses it */
	unsigned int trailer;	/* bytes behind the samples of a block */
	struct list_head maps;
};

struct zio_dma_map {
	struct list_head node;	/* while it is mapped */
	struct zio_dma *dma;	/* as long */
	const void *mem;
	size_t size;
	struct rcu_head rcu;
	bool must_sync;
	dma_addr_t page[];	/* where the pages begin */
};

static DEFINE_SPINLOCK(maps_lock);	/* the lists of all boards */

/*
 * Maps the blocks of a set for a device, from now on. Each block is mapped when it is made. The
 * direction is that of the set. @cset: the channel set, which has no buffer yet. @dev: the device
 * that reads or writes the blocks. Context: Process, sleeps. zio_cset_end_dma() follows. Returns 0;
 * -ENOMEM.
 */
int zio_cset_use_dma(struct zio_cset_core *cset, struct device *dev)
{
	struct zio_dma *dma = kzalloc(sizeof(*dma), GFP_KERNEL);

	if (!dma)
		return -ENOMEM;
	dma->dev = get_device(dev);
	dma->dir = zio_cset_is_output(cset) ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
	dma->max_segment = dma_get_max_seg_size(dev);
	dma->boundary = dma_get_seg_boundary(dev);
	dma->trailer = cset->desc->trailer;
	INIT_LIST_HEAD(&dma->maps);
	cset->dma = dma;
	return 0;
}

/* Returns the page of an address in memory from kmalloc() or vmalloc(). */
static struct page *page_of(const void *mem)
{
	return is_vmalloc_addr(mem) ? vmalloc_to_page(mem) : virt_to_page(mem);
}

static struct zio_dma *dma_of(const struct zio_buffer *buf)
{
	return buf->chan->cset->dma;
}

/**
 * zio_buffer_dma_dev() - get the device that reads or writes the blocks of a buffer
 * @buf: the buffer
 *
 * Context: Process, sleeps; in @alloc_mem of a buffer type.
 *
 * Return: the device; ERR_PTR(-EOPNOTSUPP) without one, and the kernel's log tells so.
 */
struct device *zio_buffer_dma_dev(const struct zio_buffer *buf)
{
	const struct zio_cset_core *cset = buf->chan->cset;

	if (cset->dma)
		return cset->dma->dev;
	dev_notice(&cset->zdev->dev,
		   "cset%u: the driver names no device for DMA: use the buffer vmalloc instead of %s\n",
		   cset->pub.index, buf->type->name);
	return ERR_PTR(-EOPNOTSUPP);
}
EXPORT_SYMBOL_GPL(zio_buffer_dma_dev);

static u64 reach_of(struct device *dev)
{
	return min_not_zero(dma_get_mask(dev), dev->bus_dma_limit);
}

/* Returns true if an IOMMU gives the board addresses. With iommu=pt it gives none. */
static bool is_translated(struct device *dev)
{
#ifdef CONFIG_IOMMU_API
	struct iommu_domain *domain = iommu_get_domain_for_dev(dev);

	return domain && domain->type != IOMMU_DOMAIN_IDENTITY;
#else
	return false;
#endif
}

/*
 * Returns true if the board itself must reach the memory. Bounce buffers are below 4 GiB,
 * so a board with fewer than 32 address lines may not reach these either.
 */
static bool is_narrow(struct device *dev)
{
	return dma_addressing_limited(dev) && !is_translated(dev) &&
		(reach_of(dev) < DMA_BIT_MASK(32) || dma_max_mapping_size(dev) == SIZE_MAX);
}

/*
 * Returns true if the set's board reaches a part of the memory only: it needs the buffer
 * "dma".
 */
bool zio_cset_needs_near_memory(const struct zio_cset_core *cset)
{
	return cset->dma && is_narrow(cset->dma->dev);
}

/*
 * Returns true if the device reaches memory on contiguous pages, or if the DMA API has
 * other means. Otherwise the DMA API would print a warning with a trace.
 */
static bool dma_reaches(struct device *dev, const void *mem, size_t len)
{
	phys_addr_t at = page_to_phys(page_of(mem)) + offset_in_page(mem);

	return !is_narrow(dev) || phys_to_dma(dev, at) + len - 1 <= reach_of(dev);
}

static void dma_report_reach(const struct zio_buffer *buf, struct device *dev)
{
	const struct zio_cset_core *cset = buf->chan->cset;
	bool is_near = !strcmp(buf->type->name, "dma");

	dev_err_ratelimited(&cset->zdev->dev,
			    "cset%u: %s has %d address lines, and memory of the buffer %s is beyond: use %s\n",
			    cset->pub.index, dev_name(dev), fls64(reach_of(dev)),
			    buf->type->name,
			    is_near ? "a kernel with CONFIG_ZONE_DMA" : "the buffer dma");
}

/**
 * zio_buffer_dma_size() - compute how much memory a block needs
 * @buf: the buffer
 * @size: bytes of samples
 *
 * For types that allocate each block: two blocks of a board that does DMA share no line of
 * a cache.
 *
 * Context: Any.
 *
 * Return: bytes, at least @size.
 */
size_t zio_buffer_dma_size(const struct zio_buffer *buf, size_t size)
{
	if (!dma_of(buf) || size >= PAGE_SIZE)
		return size;
	return roundup_pow_of_two(max3(size, (size_t)L1_CACHE_BYTES,
				       (size_t)dma_get_cache_alignment()));
}
EXPORT_SYMBOL_GPL(zio_buffer_dma_size);

/* Returns the address for the board of the byte at @pos. */
static dma_addr_t address_at(const struct zio_dma_map *map, size_t pos)
{
	size_t offset = offset_in_page(map->mem) + pos;

	return map->page[PFN_DOWN(offset)] + offset_in_page(offset);
}

static size_t room_on_page(const struct zio_dma_map *map, size_t pos, size_t len)
{
	return min_t(size_t, len, PAGE_SIZE - offset_in_page(map->mem + pos));
}

/* Counts the bytes of the run that begins at @pos. */
static size_t count_run(const struct zio_dma_map *map, size_t pos)
{
	size_t max = round_down(dma_max_mapping_size(map->dma->dev), PAGE_SIZE);
	unsigned long pfn = page_to_pfn(page_of(map->mem + pos));
	size_t len = room_on_page(map, pos, map->size - pos);

	while (pos + len < map->size && max - len >= PAGE_SIZE &&
	       page_to_pfn(page_of(map->mem + pos + len)) == ++pfn)
		len += min_t(size_t, PAGE_SIZE, map->size - pos - len);
	return len;
}

static void unmap_pages(struct zio_dma_map *map, size_t size)
{
	size_t pos, len;

	for (pos = 0; pos < size; pos += len) {
		len = count_run(map, pos);
		dma_unmap_page_attrs(map->dma->dev, address_at(map, pos), len,
				     map->dma->dir, DMA_ATTR_SKIP_CPU_SYNC);
	}
}

static void note_run(struct zio_dma_map *map, size_t pos, size_t len, dma_addr_t addr)
{
	size_t first = PFN_DOWN(offset_in_page(map->mem) + pos), i;
	dma_addr_t page = addr - offset_in_page(map->mem + pos);

	for (i = 0; i < PFN_UP(offset_in_page(map->mem + pos) + len); i++)
		map->page[first + i] = page + i * PAGE_SIZE;
	map->must_sync |= dma_need_sync(map->dma->dev, addr);
}

static int map_pages(struct zio_dma_map *map)
{
	struct device *dev = map->dma->dev;
	dma_addr_t addr;
	size_t pos, len;

	for (pos = 0; pos < map->size; pos += len) {
		len = count_run(map, pos);
		if (!dma_reaches(dev, map->mem + pos, len)) {
			unmap_pages(map, pos);
			return -EFAULT;
		}
		addr = dma_map_page(dev, page_of(map->mem + pos),
				    offset_in_page(map->mem + pos), len, map->dma->dir);
		if (dma_mapping_error(dev, addr)) {
			unmap_pages(map, pos);
			return -ENOMEM;
		}
		note_run(map, pos, len, addr);
	}
	return 0;
}

/**
 * zio_dma_map_create() - map memory of blocks for the board
 * @buf: the buffer that has the blocks
 * @mem: memory from kmalloc(), or an area
 * @size: bytes
 *
 * Context: Process, sleeps.
 *
 * Return: the map; NULL if the board does no DMA; ERR_PTR(-ENOMEM) without memory, or if
 * the IOMMU or the bounce buffers have no room. Also ERR_PTR(-ENOMEM) for memory that the
 * board does not reach; the kernel's log then tells so.
 */
struct zio_dma_map *zio_dma_map_create(struct zio_buffer *buf, void *mem, size_t size)
{
	struct zio_dma *dma = dma_of(buf);
	struct zio_dma_map *map;
	unsigned long flags;
	int ret;

	if (!dma)
		return NULL;
	map = kvzalloc(struct_size(map, page, PFN_UP(offset_in_page(mem) + size)),
		       GFP_KERNEL);
	if (!map)
		return ERR_PTR(-ENOMEM);
	map->dma = dma;
	map->mem = mem;
	map->size = size;
	ret = map_pages(map);
	if (ret == -EFAULT)
		dma_report_reach(buf, dma->dev);
	if (ret) {
		kvfree(map);
		return ERR_PTR(-ENOMEM);
	}
	spin_lock_irqsave(&maps_lock, flags);
	list_add(&map->node, &dma->maps);
	spin_unlock_irqrestore(&maps_lock, flags);
	return map;
}
EXPORT_SYMBOL_GPL(zio_dma_map_create);

/* Takes a map from the list, and unmaps the memory; another context may have done so. */
static bool dma_end_map(struct zio_dma_map *map)
{
	unsigned long flags;
	bool is_mine;

	spin_lock_irqsave(&maps_lock, flags);
	is_mine = !list_empty(&map->node);
	list_del_init(&map->node);
	spin_unlock_irqrestore(&maps_lock, flags);
	if (is_mine)
		unmap_pages(map, map->size);
	return is_mine;
}

/**
 * zio_dma_map_free() - unmap memory, and free its map
 * @map: the map, or NULL
 *
 * Context: Any but a hard interrupt handler under PREEMPT_RT.
 *
 * Return: false if another context unmaps the memory, under RCU, or has done so. It looks
 * for the pages of an area, so the area stays until a grace period has ended.
 */
bool zio_dma_map_free(struct zio_dma_map *map)
{
	bool is_done;

	if (!map)
		return true;
	rcu_read_lock();
	is_done = dma_end_map(map);
	rcu_read_unlock();
	kvfree_rcu(map, rcu);
	return is_done;
}
EXPORT_SYMBOL_GPL(zio_dma_map_free);

/* Returns false if there is no map. */
static bool dma_end_first_map(struct zio_dma *dma)
{
	struct zio_dma_map *map;

	rcu_read_lock();
	spin_lock_irq(&maps_lock);
	map = list_first_entry_or_null(&dma->maps, struct zio_dma_map, node);
	spin_unlock_irq(&maps_lock);
	if (map)
		dma_end_map(map);
	rcu_read_unlock();
	return map;
}

/* Unmaps all memory that is mapped for a set's board. The set has no buffer any more. */
void zio_cset_end_dma(struct zio_cset_core *cset)
{
	struct zio_dma *dma = cset->dma;

	if (!dma)
		return;
	while (dma_end_first_map(dma))
		;
	synchronize_rcu();
	cset->dma = NULL;
	put_device(dma->dev);
	kfree(dma);
}

static bool is_mapped(const struct zio_block *block)
{
	const struct zio_block_core *core = to_block_core(block);

	return core->dma && !core->borrowed;
}

/* Counts the bytes from @at on that the board can take as one segment, up to @most. */
static size_t count_segment(const struct zio_dma_map *map, size_t at, size_t most)
{
	const struct zio_dma *dma = map->dma;
	dma_addr_t addr = address_at(map, at);
	u64 room = dma->boundary - (addr & dma->boundary);
	size_t len = room_on_page(map, at, most);

	while (len < most && address_at(map, at + len) == addr + len)
		len += min_t(size_t, PAGE_SIZE, most - len);
	len = min(len, dma->max_segment);
	return room < len ? room + 1 : len;
}

/**
 * zio_dma_map_row() - count the bytes that are one segment for the board
 * @map: the map
 * @at: where they begin, in the mapped memory
 * @len: how many are asked for
 *
 * Context: Any; the map is in use.
 *
 * Return: the number, @len at most.
 */
size_t zio_dma_map_row(const struct zio_dma_map *map, size_t at, size_t len)
{
	return count_segment(map, at, min(len, map->size - at));
}
EXPORT_SYMBOL_GPL(zio_dma_map_row);

/**
 * zio_dma_map_place() - find place for a block that is one segment for the board
 * @map: the map
 * @at: where to look from, in the mapped memory
 * @len: bytes of the block
 *
 * Context: Any; the map is in use.
 *
 * Return: where the block begins, at @at or behind it; SIZE_MAX if it finds none.
 */
size_t zio_dma_map_place(const struct zio_dma_map *map, size_t at, size_t len)
{
	size_t n;

	while (at < map->size && len <= map->size - at) {
		n = count_segment(map, at, len);
		if (n >= len)
			return at;
		at += n;
	}
	return SIZE_MAX;
}
EXPORT_SYMBOL_GPL(zio_dma_map_place);

/**
 * zio_block_dma() - get an address of a block for the board
 * @block: the block, which the driver has
 * @pos: bytes from the beginning of the block, less than its size with the trailer
 * @addr: set to the address of that byte
 *
 * The driver walks the segments of a block by adding the result to @pos. The length of the
 * block does not limit them: the result may exceed block->len, and not block->size and the
 * trailer of the set.
 *
 * Context: Any.
 *
 * Return: bytes from @pos on that are one segment: contiguous, and within the limits of the
 * device. 0 if the block is not mapped: its set has no device for DMA, or it plays memory
 * of an input (zio_block_page() has the pages of that).
 */
size_t zio_block_dma(const struct zio_block *block, size_t pos, dma_addr_t *addr)
{
	const struct zio_dma_map *map = to_block_core(block)->dma;
	size_t at, room;

	if (!is_mapped(block))
		return 0;
	/* A longer run is another segment: its pages need no look now. */
	room = min(block->size + map->dma->trailer - pos, map->dma->max_segment);
	at = block->data + pos - map->mem;
	*addr = address_at(map, at);
	return count_segment(map, at, room);
}
EXPORT_SYMBOL_GPL(zio_block_dma);

/* A run may end within the samples. So each page is one call of the DMA API. */
static void sync_pages(const struct zio_block *block, size_t pos, size_t len,
		       void (*sync)(struct device *dev, dma_addr_t addr, size_t size,
				    enum dma_data_direction dir))
{
	const struct zio_dma_map *map = to_block_core(block)->dma;
	size_t at = block->data + pos - map->mem, n;

	for (; len; at += n, len -= n) {
		n = room_on_page(map, at, len);
		sync(map->dma->dev, address_at(map, at), n, map->dma->dir);
	}
}

/**
 * zio_block_sync_for_device() - give samples of a mapped block to the board
 * @block: the block
 * @pos: bytes from the beginning of the block
 * @len: bytes
 *
 * The driver calls this before each transfer. It costs nothing on a coherent machine.
 *
 * Context: Any.
 */
void zio_block_sync_for_device(const struct zio_block *block, size_t pos, size_t len)
{
	if (!is_mapped(block) || !to_block_core(block)->dma->must_sync)
		return;
	if (is_vmalloc_addr(block->data))
		flush_kernel_vmap_range(block->data + pos, len);
	sync_pages(block, pos, len, dma_sync_single_for_device);
}
EXPORT_SYMBOL_GPL(zio_block_sync_for_device);

/**
 * zio_block_sync_for_cpu() - take samples of a mapped block from the board
 * @block: the block
 * @pos: bytes from the beginning of the block
 * @len: bytes that the board has written
 *
 * The driver of an input calls this after each transfer, before the block is done. It costs
 * nothing on a coherent machine.
 *
 * Context: Any.
 */
void zio_block_sync_for_cpu(const struct zio_block *block, size_t pos, size_t len)
{
	if (!is_mapped(block) || !to_block_core(block)->dma->must_sync)
		return;
	sync_pages(block, pos, len, dma_sync_single_for_cpu);
	if (is_vmalloc_addr(block->data))
		invalidate_kernel_vmap_range(block->data + pos, len);
}
EXPORT_SYMBOL_GPL(zio_block_sync_for_cpu);

/**
 * zio_block_page() - get the page of a sample
 * @block: the block
 * @pos: bytes from the beginning of the block
 *
 * For boards that move a page at a time. The samples on one page are contiguous.
 *
 * Context: Any.
 *
 * Return: the page.
 */
struct page *zio_block_page(const struct zio_block *block, size_t pos)
{
	return page_of(block->data + pos);
}
EXPORT_SYMBOL_GPL(zio_block_page);

/*
 * Returns true if addresses of @bits, 1 ... 64, reach all of memory from kmalloc() or
 * vmalloc(). Context: Any.
 */
bool zio_memory_is_below(const void *mem, size_t len, unsigned int bits)
{
	u64 at, mask = DMA_BIT_MASK(bits);
	size_t n;

	for (; len; mem += n, len -= n) {
		n = min_t(size_t, len, PAGE_SIZE - offset_in_page(mem));
		at = page_to_phys(page_of(mem)) + offset_in_page(mem);
		if (at + n - 1 > mask)
			return false;
	}
	return true;
}
