// SPDX-License-Identifier: GPL-2.0-only
/*
 * area.c: memory that the kernel shares with programs
 *
 * An area is reference counted: its owner and each mapping hold a reference. So a mapping
 * stays valid after the board has gone.
 *
 * area->maps counts mappings. Before the owner replaces an area, it retires it: maps goes
 * from 0 to -1, and no program can map the area any more. While the area is mapped, this
 * fails and changes nothing.
 *
 * Page faults put the pages into a mapping. A mapping can grow (mremap) and lose pages
 * (madvise) without a call into this file, so each fault checks that the page is in the
 * area. Every part of a mapping counts in area->maps, with or without pages, so no fault
 * comes after the area is retired.
 */
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/shm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "buffer/internal.h"

/* Maximum pages per fault: 64 KiB on most machines */
#define FAULT_PAGES	16ul

/* A program has described the set, and so chosen how much memory the buffer takes. */
static bool area_is_of_program(const struct zio_buffer *buf)
{
	return buf && buf->chan->cset->flags & ZIO_CSET_MAPPED;
}

/*
 * vmalloc_user() does not charge a cgroup, but machines with an aliasing cache need it: it
 * aligns the memory so that kernel and program see the same.
 */
static void *area_alloc_mem(struct zio_buffer *buf, size_t size)
{
	void *mem;

	if (buf && buf->type->alloc_mem)
		return buf->type->alloc_mem(buf, size);
	if ((buf && !area_is_of_program(buf)) || SHMLBA != PAGE_SIZE)
		mem = vmalloc_user(size);
	else
		mem = __vmalloc(size, ZIO_GFP_USER | __GFP_ZERO);
	return mem ?: ERR_PTR(-ENOMEM);
}

/* On error the caller puts the area. */
static int area_fill(struct zio_area *area, struct zio_buffer *buf)
{
	int ret = area_is_of_program(buf) ? zio_charge(&area->charge, area->size) : 0;
	void *mem;

	if (ret)
		return ret;
	mem = area_alloc_mem(buf, area->size);
	if (IS_ERR(mem))
		return PTR_ERR(mem);
	area->mem = mem;
	return 0;
}

/**
 * zio_area_alloc() - allocate memory that programs can map
 * @buf: the buffer that the memory is for; NULL: the current user
 * @size: bytes, rounded up to pages
 *
 * The memory is zeroed. A size beyond the memory of the machine fails without the OOM
 * killer. The cgroup of the current process is charged for the memory of a user, and of a
 * set with ZIO_CSET_MAPPED. The latter also counts as pinned memory of the process, until
 * the last mapping ends.
 *
 * Context: Process, sleeps.
 *
 * Return: the area, with a reference for zio_area_put(); ERR_PTR(-ENOMEM); -EDQUOT as
 * zio_charge(); or an error of alloc_mem() of the type.
 */
struct zio_area *zio_area_alloc(struct zio_buffer *buf, size_t size)
{
	struct zio_area *area = NULL;
	int ret;

	if (size && PFN_UP(size) <= (unsigned long)si_mem_available())
		area = kzalloc(sizeof(*area), GFP_KERNEL);
	if (!area)
		return ERR_PTR(-ENOMEM);
	kref_init(&area->ref);
	area->size = PAGE_ALIGN(size);
	ret = area_fill(area, buf);
	if (ret) {
		zio_area_put(area);
		return ERR_PTR(ret);
	}
	return area;
}
EXPORT_SYMBOL_GPL(zio_area_alloc);

static void free_area(struct kref *ref)
{
	struct zio_area *area = container_of(ref, struct zio_area, ref);

	vfree(area->mem);
	zio_uncharge(&area->charge, SIZE_MAX);
	kfree_rcu(area, rcu);
}

/**
 * zio_area_put() - drop a reference
 * @area: the area, NULL, or an error
 *
 * Context: Process.
 */
void zio_area_put(struct zio_area *area)
{
	if (!IS_ERR_OR_NULL(area))
		kref_put(&area->ref, free_area);
}
EXPORT_SYMBOL_GPL(zio_area_put);

/**
 * zio_area_retire() - prevent further mappings of an area
 * @area: the area, or NULL
 *
 * Context: Any.
 *
 * Return: true; false if the area is mapped and stays in use.
 */
bool zio_area_retire(struct zio_area *area)
{
	return !area || atomic_cmpxchg(&area->maps, 0, -1) == 0;
}
EXPORT_SYMBOL_GPL(zio_area_retire);

/*
 * Gets a reference to an area that may be replaced at any time. @from points to it, under
 * RCU. Context: Any. Returns the area, with a reference for zio_area_put(), or NULL.
 */
struct zio_area *zio_area_get(struct zio_area __rcu **from)
{
	struct zio_area *area;

	rcu_read_lock();
	area = rcu_dereference(*from);
	if (area && !kref_get_unless_zero(&area->ref))
		area = NULL;
	rcu_read_unlock();
	return area;
}
EXPORT_SYMBOL_GPL(zio_area_get);

/**
 * zio_channel_area() - get the area of a channel's blocks
 * @chan: the channel, of a set with ZIO_CSET_MAPPED
 *
 * Context: Any; as zio_for_each_block().
 *
 * Return: the area of the armed blocks, with a reference for zio_area_put().
 */
struct zio_area *zio_channel_area(struct zio_channel *chan)
{
	return zio_area_get(&to_channel_core(chan)->data_area);
}
EXPORT_SYMBOL_GPL(zio_channel_area);

/**
 * zio_area_ref() - take another reference
 * @area: the area; the caller has a reference, or excludes that the last one ends
 *
 * Context: Any.
 *
 * Return: @area; zio_area_put() drops the reference.
 */
struct zio_area *zio_area_ref(struct zio_area *area)
{
	kref_get(&area->ref);
	return area;
}
EXPORT_SYMBOL_GPL(zio_area_ref);

/**
 * zio_area_size() - get the size of an area
 * @area: the area
 *
 * Context: Any.
 *
 * Return: bytes, whole pages.
 */
size_t zio_area_size(const struct zio_area *area)
{
	return area->size;
}
EXPORT_SYMBOL_GPL(zio_area_size);

/**
 * zio_block_offset() - find a block in the area of its channel
 * @block: the block, armed; of a set with ZIO_CSET_MAPPED
 *
 * Context: Any.
 *
 * Return: where its samples begin, in bytes.
 */
u64 zio_block_offset(const struct zio_block *block)
{
	return container_of(block, struct zio_block_core, block)->mem_offset;
}
EXPORT_SYMBOL_GPL(zio_block_offset);

static void open_mapping(struct vm_area_struct *vma)
{
	struct zio_area *area = vma->vm_private_data;

	kref_get(&area->ref);
	atomic_inc(&area->maps);
}

static void close_mapping(struct vm_area_struct *vma)
{
	struct zio_area *area = vma->vm_private_data;

	atomic_dec(&area->maps);
	zio_area_put(area);
}

static vm_fault_t fault_mapping(struct vm_fault *vmf)
{
	const struct zio_area *area = vmf->vma->vm_private_data;
	struct page *pages[FAULT_PAGES];
	unsigned long i, n;
	int ret;

	if (vmf->pgoff >= PFN_DOWN(area->size))
		return VM_FAULT_SIGBUS;
	/* Insert the pages from the faulting one on that both area and mapping have. */
	n = min3(PFN_DOWN(area->size) - vmf->pgoff,
		 PFN_DOWN(vmf->vma->vm_end - vmf->address), FAULT_PAGES);
	for (i = 0; i < n; i++)
		pages[i] = vmalloc_to_page(area->mem + ((vmf->pgoff + i) << PAGE_SHIFT));
	ret = vm_insert_pages(vmf->vma, vmf->address & PAGE_MASK, pages, &n);
	/* -EBUSY: another fault has inserted this page; the pages before it are in. */
	return ret && ret != -EBUSY ? vmf_error(ret) : VM_FAULT_NOPAGE;
}

static const struct vm_operations_struct area_vm_ops = {
	.open = open_mapping,
	.close = close_mapping,
	.fault = fault_mapping,
};

/*
 * Maps an area from the page that the mapping asks for; area->maps counts it. With @write,
 * the program may write through a shared mapping. It may always write to a private one,
 * where it gets copies of the pages. Context: Process; the caller holds mmap_lock. Returns
 * 0; -EACCES for a shared mapping that asks to write without @write; -EINVAL beyond the
 * area; -EBUSY while the area is being replaced.
 */
int zio_area_map(struct zio_area *area, struct vm_area_struct *vma, bool write)
{
	bool read_only = !write && (vma->vm_flags & VM_MAYSHARE);

	if (read_only && (vma->vm_flags & VM_WRITE))
		return -EACCES;
	/* The sum cannot overflow: mmap() has checked this. */
	if (vma->vm_pgoff + vma_pages(vma) > PFN_DOWN(area->size))
		return -EINVAL;
	if (!atomic_inc_unless_negative(&area->maps))
		return -EBUSY;
	if (read_only)
		zio_vm_flags_clear(vma, VM_MAYWRITE);
	/* VM_MIXEDMAP allows faults to insert pages. */
	zio_vm_flags_set(vma, VM_MIXEDMAP | VM_DONTDUMP);
	kref_get(&area->ref);
	vma->vm_private_data = area;
	vma->vm_ops = &area_vm_ops;
	return 0;
}
EXPORT_SYMBOL_GPL(zio_area_map);
