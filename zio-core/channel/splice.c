// SPDX-License-Identifier: GPL-2.0-only
/*
 * splice.c: blocks whose pages go into a pipe without a copy
 *
 * splice() puts the pages of a block in an area into the pipe. The block is *pinned*
 * then. Its users (engine/mem.c) are the session that has it, and each pipe buffer that
 * refers to it. After the last of them, a socket may still hold references to pages: it
 * has not sent them, or its peer has not received them. Such a pin is *busy*. The block
 * returns to its buffer when only the area refers to its pages. No event tells this. So
 * each splice() looks at the busy pins, and a work item does so every 10 ms.
 *
 *  - (P) A reader of a page drops its reference after its last access (put_page(), full
 *    barrier). It pairs with is_held(), which loads the count. A full barrier follows there
 *    before the block is filled again. Without it, a reader could see the next samples.
 *
 * A mapping counts as a reference to a page, too. So pins and mappings of an area
 * exclude each other: area->maps is below 0 while blocks are pinned (area.c). splice()
 * copies from an area that is mapped. A count of 1 cannot grow again, as no other context
 * has a reference that it could copy.
 *
 * A pin holds its buffer. So the pages in pipes stay readable when the buffer is replaced,
 * and when the board goes. A page that only a socket has needs no buffer then.
 *
 * list->lock protects the list, pin->busy and n_busy. The context that releases a pipe
 * buffer takes it: a process, with the pipe locked.
 */
#include <linux/anon_inodes.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/pipe_fs_i.h>
#include <linux/slab.h>
#include <linux/splice.h>

#include "channel/pipe.h"

/* Period of the work item that looks at busy pins */
#define LOOK_AGAIN	msecs_to_jiffies(10)

/*
 * A file without a descriptor holds the module as long as the list lives. Pipe buffers
 * outlive all other files, and code of this module releases the last one. fput() drops
 * the module when its caller has left this code. module_put() here would return into
 * text that is freed.
 */
static const struct file_operations module_fops = {
	.owner = THIS_MODULE,
};

static struct page **page_at(const struct zio_block_pin *pin, const void *at)
{
	const struct zio_area *area = pin->mem.buf->area;

	return &area->pages[PFN_DOWN(at - area->mem)];
}

/*
 * Returns true if any reference to the pages is not the area's. A buffer that its channel
 * has replaced fills no block again. Readers may keep pages of that buffer.
 */
static bool is_held(const struct zio_block_pin *pin)
{
	const struct zio_block *block = pin->block;
	struct page **page = page_at(pin, block->data);
	struct page **last = page_at(pin, block->data + block->len - 1);

	if (READ_ONCE(pin->mem.buf->chan->buf) != pin->mem.buf)
		return false;
	for (; page <= last; page++)
		if (page_ref_count(*page) != 1)
			return true;
	smp_mb();						/* P */
	return false;
}

/* Counts the bytes of all pages of the block. */
static size_t count_bytes(const struct zio_block *block)
{
	return PAGE_ALIGN(offset_in_page(block->data) + block->len);
}

/* Puts the block into its buffer. The caller has taken the pin from the list. */
static void free_pin(struct zio_block_pin *pin)
{
	struct zio_buffer *buf = pin->mem.buf;

	put_pid(pin->pid);
	zio_area_return(buf->area);
	zio_buffer_take_back(buf, pin->block);
	zio_uncharge(&pin->charge);
	kfree(pin);
	zio_buffer_put(buf);
}

/* The lock is held, and a busy pin holds the channel. */
static void look_later(struct zio_pin_list *list)
{
	kobject_get(&list->chan->kobj);
	if (!queue_delayed_work(zio_wq, &list->work, LOOK_AGAIN))
		kobject_put(&list->chan->kobj);
}

/* Frees the pins that are not busy any more. The caller holds the channel. */
static void look_at_pins(struct zio_pin_list *list)
{
	struct zio_block_pin *pin, *next;
	unsigned int n_busy = 0;
	LIST_HEAD(ended);

	spin_lock(&list->lock);
	list_for_each_entry_safe(pin, next, &list->pins, node) {
		if (!pin->busy)
			continue;
		if (is_held(pin))
			n_busy++;
		else
			list_move(&pin->node, &ended);
	}
	WRITE_ONCE(list->n_busy, n_busy);
	if (n_busy)
		look_later(list);
	spin_unlock(&list->lock);
	list_for_each_entry_safe(pin, next, &ended, node)
		free_pin(pin);
}

static void look_again(struct work_struct *work)
{
	struct zio_pin_list *list = container_of(to_delayed_work(work),
						 struct zio_pin_list, work);
	struct zio_channel_core *chan = list->chan;

	look_at_pins(list);
	kobject_put(&chan->kobj);
}

/* Context: Process. The session and all pipe buffers have dropped the block. */
static void release_pin(struct zio_mem *mem)
{
	struct zio_block_pin *pin = container_of(mem, struct zio_block_pin, mem);
	struct zio_pin_list *list = mem->buf->chan->pins;
	bool busy;

	spin_lock(&list->lock);
	busy = is_held(pin);
	if (busy) {
		pin->busy = true;
		WRITE_ONCE(list->n_busy, list->n_busy + 1);
		look_later(list);
	} else {
		list_del(&pin->node);
	}
	spin_unlock(&list->lock);
	if (!busy)
		free_pin(pin);
}

/* Returns the list of the channel, or a new one, or NULL. The channel is locked. */
static struct zio_pin_list *have_pin_list(struct zio_channel_core *chan)
{
	struct zio_pin_list *list = chan->pins;

	if (list)
		return list;
	list = kzalloc(sizeof(*list), GFP_KERNEL);
	if (!list)
		return NULL;
	list->module = anon_inode_getfile("[zio-lent]", &module_fops, NULL, O_RDONLY);
	if (IS_ERR(list->module)) {
		kfree(list);
		return NULL;
	}
	spin_lock_init(&list->lock);
	INIT_LIST_HEAD(&list->pins);
	INIT_DELAYED_WORK(&list->work, look_again);
	list->chan = chan;
	/* Pairs with the load in get_pin_list(). */
	smp_store_release(&chan->pins, list);
	return list;
}

/**
 * zio_pin_list_free() - free the list of pins with its channel
 * @list: the list, or NULL; empty, as each pin holds the channel
 *
 * Context: Process.
 */
void zio_pin_list_free(struct zio_pin_list *list)
{
	if (!list)
		return;
	fput(list->module);
	kfree(list);
}

/**
 * zio_pin_create() - pin the pages of a block
 * @chan: the channel, locked
 * @block: an input block that the caller owns, of a buffer with an area
 *
 * The caller becomes the first user of the pin: see zio_block_put().
 *
 * Context: Process, sleeps.
 *
 * Return: the pin; NULL when the area is mapped, without memory, or beyond the budget of
 * the user.
 */
struct zio_block_pin *zio_pin_create(struct zio_channel_core *chan,
				     struct zio_block *block)
{
	struct zio_pin_list *list = have_pin_list(chan);
	struct zio_block_pin *pin;

	if (!list)
		return NULL;
	pin = kzalloc(sizeof(*pin), GFP_KERNEL_ACCOUNT);
	if (!pin)
		return NULL;
	if (zio_charge(&pin->charge, chan, count_bytes(block)))
		goto err_charge;
	if (!zio_area_lend(chan->buf->area))
		goto err_lend;
	pin->block = block;
	pin->pid = get_pid(task_tgid(current));
	zio_block_set_mem(block, &pin->mem, chan->buf, release_pin);
	spin_lock(&list->lock);
	list_add_tail(&pin->node, &list->pins);
	spin_unlock(&list->lock);
	return pin;

err_lend:
	zio_uncharge(&pin->charge);
err_charge:
	kfree(pin);
	return NULL;
}

/* Returns false if the count of users would overflow. */
static bool get_buffer(struct pipe_inode_info *pipe, struct pipe_buffer *buf)
{
	struct zio_block_pin *pin = (struct zio_block_pin *)buf->private;

	if (refcount_read(&pin->mem.ref) > INT_MAX / 2)
		return false;
	zio_mem_get(&pin->mem);
	return true;
}

static void release_buffer(struct pipe_inode_info *pipe,
			   struct pipe_buffer *buf)
{
	struct zio_block_pin *pin = (struct zio_block_pin *)buf->private;

	zio_mem_put(&pin->mem);
}

/* There is no try_steal: the pages stay in the area. */
static const struct pipe_buf_operations pin_pipe_ops = {
	.get = get_buffer,
	.release = release_buffer,
};

/* Returns NULL for a block to be copied: it is shared, or has less than a page. */
static struct zio_block_pin *pin_block(struct zio_session *sess)
{
	struct zio_block_core *core = to_block_core(sess->block);

	if (zio_block_is_pinned(sess->block))
		return container_of(core->mem, struct zio_block_pin, mem);
	if (core->mem || sess->block->len - core->used < PAGE_SIZE ||
	    !sess->chan->buf->area)
		return NULL;
	return zio_pin_create(sess->chan, sess->block);
}

/* Puts pages of the session's block into the pipe, and drops a block at its end. */
static int splice_pages(struct zio_session *sess, struct zio_block_pin *pin,
			struct pipe_inode_info *pipe, size_t *room)
{
	struct zio_block *block = sess->block;

	while (*room && to_block_core(block)->used < block->len) {
		void *at = block->data + to_block_core(block)->used;
		struct pipe_buffer buf = {
			.page = *page_at(pin, at),
			.offset = offset_in_page(at),
			.ops = &pin_pipe_ops,
			.private = (unsigned long)pin,
		};
		int n;

		buf.len = min3(block->len - to_block_core(block)->used, *room,
			       PAGE_SIZE - offset_in_page(at));
		zio_mem_get(&pin->mem);
		n = add_to_pipe(pipe, &buf);
		if (n < 0)
			return n;
		to_block_core(block)->used += n;
		*room -= n;
	}
	if (to_block_core(block)->used == block->len)
		zio_session_put(sess);
	return 0;
}

/* As read(), ends without a block, and after a block whose control was read. */
static ssize_t splice_blocks(struct zio_session *sess,
			     struct pipe_inode_info *pipe, size_t all)
{
	struct zio_block_pin *pin;
	size_t room = all;
	int ret;

	do {
		pin = pin_block(sess);
		if (!pin) {
			ret = -EOPNOTSUPP;
			break;
		}
		ret = splice_pages(sess, pin, pipe, &room);
		if (ret || !room || (sess->ctrl_seen && !sess->block) ||
		    zio_must_stop())
			break;
		ret = zio_session_next(sess, true);
	} while (!ret);
	return room != all ? all - room : ret;
}

/* Returns true if a block of the present buffer is pinned. The channel is locked. */
static bool has_pins(const struct zio_channel_core *chan)
{
	struct zio_pin_list *list = chan->pins;
	struct zio_block_pin *pin;
	bool found = false;

	if (!list)
		return false;
	spin_lock(&list->lock);
	list_for_each_entry(pin, &list->pins, node)
		found = found || pin->mem.buf == chan->buf;
	spin_unlock(&list->lock);
	return found;
}

struct splice_wait {
	const struct pipe_inode_info *pipe;
	unsigned long lost;
	bool asked;
};

/* Returns true if all memory is in use, and some may be in the caller's own pipe. */
static bool would_deadlock(const struct zio_channel_core *chan,
			   const struct splice_wait *splice_wait)
{
	const struct pipe_inode_info *pipe = splice_wait->pipe;

	return !pipe_empty(READ_ONCE(pipe->head), READ_ONCE(pipe->tail)) &&
		(zio_channel_is_starved(chan) || zio_channel_is_dry(chan) ||
		 READ_ONCE(chan->lost) != splice_wait->lost) &&
		has_pins(chan);
}

/* The starved flag may be stale: the first time, clear it, and let all users look. */
static bool notify_or_give_up(struct zio_session *sess, void *arg)
{
	struct splice_wait *splice_wait = arg;

	if (!splice_wait->asked && zio_channel_is_starved(sess->chan)) {
		splice_wait->asked = true;
		zio_channel_notify_room(sess->chan);
		return false;
	}
	return would_deadlock(sess->chan, splice_wait);
}

static int wait_block(struct zio_session *sess, struct pipe_inode_info *pipe)
{
	struct splice_wait splice_wait = {
		.pipe = pipe,
		.lost = READ_ONCE(sess->chan->lost),
	};

	return zio_pipe_wait_block(sess, pipe, notify_or_give_up, &splice_wait) ?:
	       zio_pipe_wait_room(pipe);
}

/* Does not wait for a block. */
static ssize_t splice_now(struct file *in, struct pipe_inode_info *pipe, size_t len)
{
	struct zio_session *sess = in->private_data;
	ssize_t ret = zio_session_lock(sess);

	if (ret)
		return ret;
	if (sess->chan->pins && READ_ONCE(sess->chan->pins->n_busy))
		look_at_pins(sess->chan->pins);
	ret = zio_session_next(sess, true);
	if (!ret)
		ret = splice_blocks(sess, pipe, len);
	zio_session_unlock(sess);
	return ret == -EOPNOTSUPP ? zio_pipe_copy(in, pipe, len) : ret;
}

/**
 * zio_data_splice_read() - splice_read() of the data of an input
 * @in: the node
 * @ppos: ignored
 * @pipe: the pipe, locked; unlocked while the function sleeps
 * @len: bytes
 * @flags: ignored: O_NONBLOCK of the file tells whether to sleep, as for read()
 *
 * Pins blocks, or copies a block that cannot be pinned or is smaller than a page.
 *
 * Context: Process, sleeps.
 *
 * Return: bytes; -EINVAL for a tap; -EAGAIN also when all memory is in use, and some of it
 * may be in this pipe; else as read().
 */
ssize_t zio_data_splice_read(struct file *in, loff_t *ppos,
			     struct pipe_inode_info *pipe, size_t len,
			     unsigned int flags)
{
	struct zio_session *sess = in->private_data;
	ssize_t ret;

	if (!len)
		return 0;
	if (sess->is_tap)
		return -EINVAL;
	do {
		ret = splice_now(in, pipe, len);
		if (ret != -EAGAIN || (in->f_flags & O_NONBLOCK))
			break;
		ret = wait_block(sess, pipe);
	} while (!ret);
	return ret;
}
