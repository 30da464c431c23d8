// SPDX-License-Identifier: GPL-2.0-only
/*
 * zio-buf-vmalloc.c: blocks in one contiguous area, which users can map
 *
 * The area is a ring. Each block is reserved behind the previous one, with the maximum
 * size. When its length is known, trim() gives the rest back, unless another block has been
 * reserved since. So events of varying length leave no holes. In the same way, cancel()
 * gives back a block that the driver has not filled. Blocks may be put in any order, but
 * their memory is reused in the order of the reservations.
 *
 *       0        first            start           size
 *       |  free  |  reserved ...  |     free      |
 *       |        ^ oldest         ^ next          |     or, wrapped:
 *       | ... reserved  |  free   |  reserved ... |
 *                       ^ start   ^ first
 *
 * The blocks form a ring in the same order. Those from block[tail] up to block[head] are in
 * use, or were put and wait for older ones. Only the context that calls get_block() (one at
 * a time, see zio-buffer.h) changes the ring. put_block() only marks its block:
 *
 *   T  put_block() sets block->gen (release) after the last access to the memory. (T)
 *      pairs with the load (acquire) in reclaim(). Without it, the next user could
 *      overwrite the memory while the previous one still reads it.
 *
 * If a board takes each block as one segment, no block crosses a segment boundary: the rest
 * of a segment stays empty.
 *
 * zio-buf-dma uses the same operations with another kind of area.
 */
#include <linux/device/driver.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/zio-buffer.h>

#define DEFAULT_KB	128
#define DEFAULT_LEN	256

enum block_state {
	BLOCK_OUT,
	BLOCK_PUT,
};

struct vmalloc_buffer {
	/* prepare() makes another struct with only these; commit() keeps what is NULL. */
	struct zio_area *area;
	struct zio_dma_map *map;	/* of the area, or NULL */
	struct zio_block_core *block;
	unsigned int len;
	bool one_piece;
	/* for the caller of get_block(): */
	unsigned int head;
	unsigned int tail;
	unsigned int used;
	unsigned int ready;		/* blocks with room in a row at start, at least */
	size_t room;			/* of each of them */
	size_t start;
};

static unsigned int next_index(const struct vmalloc_buffer *vbuf,
			       unsigned int i)
{
	return i + 1 == vbuf->len ? 0 : i + 1;
}

static __always_inline void reclaim(struct vmalloc_buffer *vbuf)
{
	const struct zio_block_core *block;
	unsigned int n, row;

	do {
		block = &vbuf->block[vbuf->tail];
		row = min(vbuf->used, vbuf->len - vbuf->tail);
		n = 0;
		while (n < row && smp_load_acquire(&block->gen) != BLOCK_OUT) {	/* T */
			block++;
			n++;
		}
		vbuf->used -= n;
		vbuf->tail = vbuf->tail + n == vbuf->len ? 0 : vbuf->tail + n;
	} while (n == row && vbuf->used);
}

/* Sets vbuf->start and returns true if @size bytes fit between @start and @end. */
static __always_inline bool find_row(struct vmalloc_buffer *vbuf, size_t start, size_t end,
				     size_t size, bool one_piece)
{
	if (one_piece)
		start = zio_dma_map_place(vbuf->map, start, size);
	if (start > end || end - start < size)
		return false;
	vbuf->start = start;
	return true;
}

/* Sets vbuf->start and returns true if @size contiguous bytes are free. */
static __always_inline bool find_room(struct vmalloc_buffer *vbuf, size_t size, bool one_piece)
{
	size_t end = vbuf->area->size, first = end;

	if (vbuf->used)
		first = vbuf->block[vbuf->tail].mem_offset;
	if (vbuf->used && vbuf->start <= first)
		return find_row(vbuf, vbuf->start, first, size, one_piece);
	return find_row(vbuf, vbuf->start, end, size, one_piece) ||
		find_row(vbuf, 0, first, size, one_piece);
}

/* Sets vbuf->start and returns how many blocks fit there, one behind the other. */
static __always_inline unsigned int count_room(struct vmalloc_buffer *vbuf, bool one_piece)
{
	size_t end = vbuf->area->size, room = vbuf->room;

	if (!find_room(vbuf, room, one_piece))
		return 0;
	if (vbuf->used && vbuf->start <= vbuf->block[vbuf->tail].mem_offset)
		end = vbuf->block[vbuf->tail].mem_offset;
	if (one_piece)
		end = vbuf->start + zio_dma_map_row(vbuf->map, vbuf->start, end - vbuf->start);
	return min_t(size_t, (end - vbuf->start) / room, vbuf->len - vbuf->used);
}

/* Not inline, so that find_ready() saves no registers for the calls. */
static noinline unsigned int find_pieces(struct vmalloc_buffer *vbuf)
{
	vbuf->ready = count_room(vbuf, true);
	return vbuf->ready;
}

/* Looks for many blocks at once: a concurrent put_block() only makes more room. */
static noinline unsigned int find_ready(struct zio_buffer *buf)
{
	struct vmalloc_buffer *vbuf = buf->priv;

	vbuf->room = zio_buffer_room(buf, buf->block_size);
	reclaim(vbuf);
	if (unlikely(vbuf->one_piece))
		return find_pieces(vbuf);
	vbuf->ready = count_room(vbuf, false);
	return vbuf->ready;
}

static bool vmalloc_has_room(struct zio_buffer *buf)
{
	struct vmalloc_buffer *vbuf = buf->priv;

	return likely(vbuf->ready) || find_ready(buf);
}

static __always_inline void place_block(struct zio_block_core *block, void *mem,
					size_t start, size_t size)
{
	block->gen = BLOCK_OUT;
	block->mem_offset = start;
	block->block.data = mem + start;
	block->block.size = size;
}

static struct zio_block *vmalloc_get_block(struct zio_buffer *buf)
{
	struct vmalloc_buffer *vbuf = buf->priv;
	struct zio_block_core *block;

	if (unlikely(!vbuf->ready) && !find_ready(buf))
		return NULL;
	block = &vbuf->block[vbuf->head];
	place_block(block, vbuf->area->mem, vbuf->start, buf->block_size);
	vbuf->start += vbuf->room;
	vbuf->head = next_index(vbuf, vbuf->head);
	vbuf->used++;
	vbuf->ready--;
	return &block->block;
}

/* Gets blocks up to the end of the area or of the array of blocks. */
static unsigned int vmalloc_get_blocks(struct zio_buffer *buf, struct zio_block **slot,
				       unsigned int n)
{
	struct vmalloc_buffer *vbuf = buf->priv;
	size_t size = buf->block_size, room, start;
	struct zio_block_core *block = &vbuf->block[vbuf->head];
	void *mem = vbuf->area->mem;
	unsigned int i;

	if (vbuf->ready < n)
		find_ready(buf);
	n = min3(n, vbuf->ready, vbuf->len - vbuf->head);
	room = vbuf->room;
	start = vbuf->start;
	for (i = 0; i < n; i++, block++, start += room) {
		place_block(block, mem, start, size);
		WRITE_ONCE(slot[i], &block->block);
	}
	vbuf->start = start;
	vbuf->head = vbuf->head + n == vbuf->len ? 0 : vbuf->head + n;
	vbuf->used += n;
	vbuf->ready -= n;
	return n;
}

static void vmalloc_put_block(struct zio_buffer *buf, struct zio_block *put)
{
	struct zio_block_core *block = to_block_core(put);

	smp_store_release(&block->gen, BLOCK_PUT);			/* T */
}

static void vmalloc_put_blocks(struct zio_buffer *buf, struct zio_block *const *slot,
			       unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		vmalloc_put_block(buf, slot[i]);
}

static struct zio_block *vmalloc_oldest(struct zio_buffer *buf)
{
	struct vmalloc_buffer *vbuf = buf->priv;

	reclaim(vbuf);
	return vbuf->used ? &vbuf->block[vbuf->tail].block : NULL;
}

static void vmalloc_trim(struct zio_buffer *buf, struct zio_block *trimmed)
{
	struct zio_block_core *block = to_block_core(trimmed);
	struct vmalloc_buffer *vbuf = buf->priv;

	if (next_index(vbuf, block - vbuf->block) != vbuf->head)
		return;
	vbuf->start = block->mem_offset + zio_buffer_room(buf, block->block.len);
	vbuf->ready = 0;
}

/*
 * A set may be enabled and disabled repeatedly while a reader holds a block. If cancelled
 * blocks kept their places, they would fill the area behind that block.
 */
static void vmalloc_cancel(struct zio_buffer *buf, struct zio_block *cancelled)
{
	struct zio_block_core *block = to_block_core(cancelled);
	struct vmalloc_buffer *vbuf = buf->priv;
	unsigned int i = block - vbuf->block;

	if (next_index(vbuf, i) != vbuf->head) {
		vmalloc_put_block(buf, cancelled);
		return;
	}
	vbuf->head = i;
	vbuf->used--;
	vbuf->start = block->mem_offset;
	vbuf->ready = 0;
}

/* The board may be going away and unmapping the area at the same time. */
static void vmalloc_discard(struct zio_buffer *buf, void *prepared)
{
	struct vmalloc_buffer *old = prepared;
	unsigned int i;

	for (i = 0; old->block && i < old->len; i++)
		zio_block_free_snapshot(&old->block[i].block);
	kvfree(old->block);
	if (!zio_dma_map_free(old->map))
		synchronize_rcu();
	zio_area_put(old->area);
	kfree(old);
}

static int vmalloc_create(struct zio_buffer *buf)
{
	struct vmalloc_buffer *vbuf = kzalloc(sizeof(*vbuf), GFP_KERNEL);

	buf->priv = vbuf;
	return vbuf ? 0 : -ENOMEM;
}

static void vmalloc_destroy(struct zio_buffer *buf)
{
	struct vmalloc_buffer *vbuf = buf->priv;

	reclaim(vbuf);
	WARN(vbuf->used, "zio: %u blocks have no owner\n", vbuf->used);
	vmalloc_discard(buf, vbuf);
}

/* Chooses a size for the area if the user has not: enough for two blocks. */
static int vmalloc_set_kb(const struct zio_buffer *buf, struct zio_geometry *geometry)
{
	size_t size = geometry->block_size + buf->trailer, kb = geometry->kb;

	if (!geometry->block_size)
		return -EINVAL;
	if (!kb)
		kb = max_t(size_t, DEFAULT_KB, DIV_ROUND_UP(size, SZ_1K) * 2);
	if (size > SIZE_MAX - PAGE_SIZE || kb > UINT_MAX ||
	    kb > (SIZE_MAX - PAGE_SIZE) / SZ_1K)
		return -ENOMEM;
	geometry->kb = kb;
	return ALIGN(size, ZIO_BLOCK_ALIGN) > PAGE_ALIGN(kb * SZ_1K) ? -ENOSPC : 0;
}

/* Allocates the area and maps it for the board, once. */
static int allocate_area(struct zio_buffer *buf, struct vmalloc_buffer *new, size_t kb)
{
	struct zio_dma_map *map;

	new->area = zio_area_alloc(buf, kb * SZ_1K);
	if (IS_ERR(new->area))
		return PTR_ERR(new->area);
	map = zio_dma_map_create(buf, new->area->mem, new->area->size);
	if (IS_ERR(map))
		return PTR_ERR(map);
	new->map = map;
	return 0;
}

/* The values of the blocks are behind the last block. */
static int allocate_blocks(struct zio_buffer *buf, struct vmalloc_buffer *new)
{
	size_t size = zio_buffer_values_size(buf);
	unsigned int i;

	new->block = kvcalloc(new->len, sizeof(*new->block) + size, GFP_KERNEL);
	if (!new->block)
		return -ENOMEM;
	for (i = 0; size && i < new->len; i++)
		new->block[i].block.values = (void *)(new->block + new->len) + i * size;
	return 0;
}

static int allocate(struct zio_buffer *buf, struct vmalloc_buffer *new,
		    const struct zio_geometry *geometry)
{
	struct vmalloc_buffer *vbuf = buf->priv;
	int ret = 0;

	new->len = geometry->len;
	if (new->len != vbuf->len)
		ret = allocate_blocks(buf, new);
	if (!ret && geometry->kb != buf->kb)
		ret = allocate_area(buf, new, geometry->kb);
	return ret;
}

/* Refuses blocks that the board could never take. */
static int check_pieces(struct zio_buffer *buf, const struct vmalloc_buffer *new,
			size_t block_size)
{
	const struct vmalloc_buffer *vbuf = buf->priv;
	const struct zio_dma_map *map = new->map ?: vbuf->map;

	if (!buf->one_piece || !map ||
	    zio_dma_map_place(map, 0, zio_buffer_room(buf, block_size)) != SIZE_MAX)
		return 0;
	pr_notice("zio: the memory has no %zu bytes that are contiguous for the board: use the buffer dma, or smaller blocks\n",
		  block_size + buf->trailer);
	return -ENOSPC;
}

static void *vmalloc_prepare(struct zio_buffer *buf, struct zio_geometry *geometry)
{
	struct vmalloc_buffer *new;
	int ret = vmalloc_set_kb(buf, geometry);

	if (ret)
		return ERR_PTR(ret);
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return ERR_PTR(-ENOMEM);
	ret = allocate(buf, new, geometry) ?: check_pieces(buf, new, geometry->block_size);
	if (ret) {
		vmalloc_discard(buf, new);
		return ERR_PTR(ret);
	}
	return new;
}

static void use_blocks(struct vmalloc_buffer *vbuf, struct vmalloc_buffer *new)
{
	swap(vbuf->block, new->block);
	swap(vbuf->len, new->len);
	vbuf->head = 0;
	vbuf->tail = 0;
}

/*
 * Returns the bytes that the blocks in use need in another area, or SIZE_MAX if they cannot
 * move: a block has users other than its reader, or a program may still fill it to its end.
 * The driver holds no block.
 */
static size_t count_used(struct zio_buffer *buf)
{
	struct vmalloc_buffer *vbuf = buf->priv;
	unsigned int n, i = vbuf->tail;
	size_t size = 0;

	if (vbuf->used && zio_buffer_is_output(buf))
		return SIZE_MAX;
	for (n = vbuf->used; n; n--, i = next_index(vbuf, i)) {
		if (READ_ONCE(vbuf->block[i].mem))
			return SIZE_MAX;
		size += zio_buffer_room(buf, vbuf->block[i].block.len);
	}
	return size;
}

/* The last user of a block may put it concurrently, so its state stays as it is. */
static void move_blocks(struct zio_buffer *buf, struct zio_area *area)
{
	struct vmalloc_buffer *vbuf = buf->priv;
	unsigned int n, i = vbuf->tail;
	struct zio_block_core *block;
	size_t at = 0;

	for (n = vbuf->used; n; n--, i = next_index(vbuf, i)) {
		block = &vbuf->block[i];
		memcpy(area->mem + at, block->block.data, block->block.len);
		block->mem_offset = at;
		block->block.data = area->mem + at;
		block->block.size = block->block.len;
		at += zio_buffer_room(buf, block->block.len);
	}
	vbuf->start = at;
}

/* Moves the unread blocks: the reader continues with the same samples. */
static void use_area(struct zio_buffer *buf, struct vmalloc_buffer *new)
{
	struct vmalloc_buffer *vbuf = buf->priv;

	move_blocks(buf, new->area);
	swap(vbuf->map, new->map);
	swap(vbuf->area, new->area);
	buf->area = vbuf->area;
}

static int vmalloc_commit(struct zio_buffer *buf, void *prepared)
{
	struct vmalloc_buffer *vbuf = buf->priv;
	struct vmalloc_buffer *new = prepared;
	bool area = new->area, blocks = new->block;
	unsigned int i;

	reclaim(vbuf);
	vbuf->ready = 0;
	if (blocks && vbuf->used)
		return -EBUSY;
	if (area && count_used(buf) > new->area->size)
		return -EBUSY;
	if (area && !zio_area_retire(vbuf->area))
		return -EBUSY;
	if (blocks)
		use_blocks(vbuf, new);
	if (area)
		use_area(buf, new);
	vbuf->one_piece = vbuf->map && buf->one_piece;
	for (i = 0; (area || blocks) && i < vbuf->len; i++)
		vbuf->block[i].dma = vbuf->map;
	vmalloc_discard(buf, new);
	return 0;
}

static unsigned int vmalloc_count(struct zio_buffer *buf)
{
	struct vmalloc_buffer *vbuf = buf->priv;

	return vbuf->len;
}

const struct zio_buffer_ops zio_area_buffer_ops = {
	.create = vmalloc_create,
	.destroy = vmalloc_destroy,
	.prepare = vmalloc_prepare,
	.commit = vmalloc_commit,
	.discard = vmalloc_discard,
	.get_block = vmalloc_get_block,
	.has_room = vmalloc_has_room,
	.put_block = vmalloc_put_block,
	.get_blocks = vmalloc_get_blocks,
	.put_blocks = vmalloc_put_blocks,
	.oldest = vmalloc_oldest,
	.trim = vmalloc_trim,
	.cancel = vmalloc_cancel,
	.count = vmalloc_count,
};
EXPORT_SYMBOL_GPL(zio_area_buffer_ops);

static struct zio_buffer_type vmalloc_buffer_type = {
	.name = "vmalloc",
	.owner = THIS_MODULE,
	.len = DEFAULT_LEN,
	.ops = &zio_area_buffer_ops,
};

module_driver(vmalloc_buffer_type, zio_buffer_type_register,
	      zio_buffer_type_unregister);

MODULE_DESCRIPTION("ZIO buffer: blocks in an area that users can map");
MODULE_VERSION(ZIO_MODULE_VERSION);
MODULE_LICENSE("GPL");
