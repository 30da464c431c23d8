// SPDX-License-Identifier: GPL-2.0-only
/*
 * area.c: memory that the kernel and its users share
 *
 * An area lives as long as somebody has it: its owner, and each mapping. So a
 * mapping stays valid when the board has gone.
 *
 * area->maps counts mappings; below 0 it counts parts that are lent (splice.c). The
 * two exclude each other. An area that its owner is about to replace is retired
 * first: maps goes from 0 to -1, and nobody can map it any more. Where it is mapped,
 * or lent, that fails, and all stays as it is.
 *
 * A page fault puts pages into a mapping, and looks whether they are within the
 * area: a mapping grows (mremap), and loses pages (madvise), without the area being
 * asked. Each piece of a mapping counts in area->maps, with or without pages; so
 * no fault comes while parts are lent, or after the area is retired.
 */
#include <linux/export.h>
#include <linux/mm.h>
#include <linux/shm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "buffer/buffer.h"

/* Pages that one fault puts into a mapping, at most: 64 KiB, mostly. */
#define FAULT_PAGES	16ul

/*
 * vmalloc_user() cannot charge anybody. But where a cache has aliases, it aligns the
 * memory so that the kernel and its users see the same.
 */
static void *alloc_charged(size_t size)
{
	if (SHMLBA != PAGE_SIZE)
		return vmalloc_user(size);
	return __vmalloc(size, ZIO_GFP_USER | __GFP_ZERO);
}

static struct zio_area *alloc_area(size_t size, void *(*alloc)(size_t size))
{
	struct zio_area *area;

	if (!size || PFN_UP(size) > (unsigned long)si_mem_available())
		return NULL;
	area = kzalloc(sizeof(*area), GFP_KERNEL);
	if (!area)
		return NULL;
	area->size = PAGE_ALIGN(size);
	area->mem = alloc(area->size);
	if (!area->mem) {
		kfree(area);
		return NULL;
	}
	kref_init(&area->ref);
	return area;
}

static void *alloc_free_of_charge(size_t size)
{
	return vmalloc_user(size);
}

/**
 * zio_area_alloc() - memory that can be mapped
 * @size: bytes, rounded up to pages
 *
 * Process context, may sleep. The memory is zeroed.
 *
 * Return: the area, with one reference; NULL when there is no such memory. A
 * size that the machine cannot have does not call the OOM killer.
 */
struct zio_area *zio_area_alloc(size_t size)
{
	return alloc_area(size, alloc_free_of_charge);
}
EXPORT_SYMBOL_GPL(zio_area_alloc);

/* As zio_area_alloc(), for this user: the memory is charged to the user's cgroup. */
struct zio_area *zio_area_alloc_charged(size_t size)
{
	return alloc_area(size, alloc_charged);
}

static void free_area(struct kref *ref)
{
	struct zio_area *area = container_of(ref, struct zio_area, ref);

	kvfree(area->pages);
	vfree(area->mem);
	kfree_rcu(area, rcu);
}

/**
 * zio_area_put() - give a reference back
 * @area: the area, or NULL
 *
 * Process context.
 */
void zio_area_put(struct zio_area *area)
{
	if (area)
		kref_put(&area->ref, free_area);
}
EXPORT_SYMBOL_GPL(zio_area_put);

/**
 * zio_area_retire() - nobody shall map the area from now on
 * @area: the area, or NULL
 *
 * Any context.
 *
 * Return: true; false if somebody has it mapped, or lent: then it stays in use.
 */
bool zio_area_retire(struct zio_area *area)
{
	return !area || atomic_cmpxchg(&area->maps, 0, -1) == 0;
}
EXPORT_SYMBOL_GPL(zio_area_retire);

/* Looked up once: to walk the page tables costs more than all else of a page. */
static bool have_pages(struct zio_area *area)
{
	size_t i, n = PFN_DOWN(area->size);
	struct page **pages;

	if (area->pages)
		return true;
	pages = kvmalloc_array(n, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return false;
	for (i = 0; i < n; i++)
		pages[i] = vmalloc_to_page(area->mem + i * PAGE_SIZE);
	area->pages = pages;
	return true;
}

/**
 * zio_area_lend() - some of an area is lent
 * @area: the area, which its owner has not retired
 *
 * Process context, may sleep; one caller at a time. zio_area_return() follows.
 *
 * Return: true, and area->pages is there; false while it is mapped, or without
 * memory.
 */
bool zio_area_lend(struct zio_area *area)
{
	return have_pages(area) && atomic_dec_unless_positive(&area->maps);
}

void zio_area_return(struct zio_area *area)
{
	atomic_inc(&area->maps);
}

/* The area that the pointer shows, with a reference, or NULL. */
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

/* How many pages, from the one that is touched, a fault puts into the mapping. */
static unsigned long count_around(const struct vm_fault *vmf,
				  const struct zio_area *area)
{
	return min3(PFN_DOWN(area->size) - vmf->pgoff,
		    PFN_DOWN(vmf->vma->vm_end - vmf->address),
		    FAULT_PAGES);
}

static vm_fault_t fault_mapping(struct vm_fault *vmf)
{
	struct zio_area *area = vmf->vma->vm_private_data;
	struct page *pages[FAULT_PAGES];
	unsigned long i, n;
	int ret;

	if (vmf->pgoff >= PFN_DOWN(area->size))
		return VM_FAULT_SIGBUS;
	n = count_around(vmf, area);
	for (i = 0; i < n; i++)
		pages[i] = vmalloc_to_page(area->mem +
					   ((vmf->pgoff + i) << PAGE_SHIFT));
	ret = vm_insert_pages(vmf->vma, vmf->address & PAGE_MASK, pages, &n);
	/* Those before a page that another fault has put there are in. */
	return ret && ret != -EBUSY ? vmf_error(ret) : VM_FAULT_NOPAGE;
}

static const struct vm_operations_struct area_vm_ops = {
	.open = open_mapping,
	.close = close_mapping,
	.fault = fault_mapping,
};

static bool is_within(const struct zio_area *area,
		      struct vm_area_struct *vma)
{
	unsigned long pages = PFN_DOWN(area->size);

	return vma->vm_pgoff < pages && vma_pages(vma) <= pages - vma->vm_pgoff;
}

/**
 * zio_area_map() - map an area, from the page that the mapping asks for
 * @area: the area
 * @vma: the mapping
 * @write: whether it may be written through this mapping
 *
 * Process context, under mmap_lock. A private mapping may be written anyway: the
 * writer gets copies of the pages.
 *
 * Return: 0; -EACCES for writing what may not be written; -EINVAL beyond the
 * area; -EBUSY while it is lent, or being replaced.
 */
int zio_area_map(struct zio_area *area, struct vm_area_struct *vma, bool write)
{
	bool read_only = !write && (vma->vm_flags & VM_MAYSHARE);

	if (read_only && (vma->vm_flags & VM_WRITE))
		return -EACCES;
	if (!is_within(area, vma))
		return -EINVAL;
	if (!atomic_inc_unless_negative(&area->maps))
		return -EBUSY;
	if (read_only)
		zio_vm_flags_clear(vma, VM_MAYWRITE);
	/* Without VM_MIXEDMAP pages cannot be inserted by a fault. */
	zio_vm_flags_set(vma, VM_MIXEDMAP | VM_DONTDUMP);
	kref_get(&area->ref);
	vma->vm_private_data = area;
	vma->vm_ops = &area_vm_ops;
	return 0;
}
