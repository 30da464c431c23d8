// SPDX-License-Identifier: GPL-2.0-only
/*
 * splice.c: blocks whose pages go into a pipe without a copy
 *
 * The pages of a block in an area are put into the pipe as they are. The block is
 * *lent* then: it belongs to the user until the session has done with it, and each
 * pipe buffer that refers to it is released (loan->ref counts both). Even then
 * somebody may read its pages: a socket holds a reference of its own to what it is
 * still sending, or to what its peer has not received. So a block is given back
 * only when nobody but the area refers to its pages; until then the loan is *late*,
 * and looked at again: when the next one splices, and by a work item meanwhile, as
 * nobody tells when the reference of a page is dropped.
 *
 *   P  a reader of a page drops its reference after that (put_page(), full barrier);
 *      is_held() loads the count, and the block is filled anew after that (full
 *      barrier). Without, samples could be replaced under a reader.
 *
 * A count of 1 is that of the area alone only while no page of it is mapped, as
 * each mapping counts, too. So what is mapped is not lent, but copied; and what
 * is lent cannot be mapped: area->maps is below 0 (area.c). And when all is
 * counted once, nobody has a reference any more that he could copy.
 *
 * When the buffer goes, loans are recalled: the block is put, but the area stays
 * until its last pipe buffer is gone. A page that a socket has stays anyway.
 *
 * lender->lock protects lender->loans, loan->block and loan->late. It is taken by
 * who releases a pipe buffer, in process context, with the pipe locked.
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

/* So often late loans are looked at. */
#define LOOK_AGAIN	msecs_to_jiffies(10)

/*
 * A file without a descriptor holds the module as long as the lender lives. Pipe
 * buffers outlive all other files, and the last one is released by code of this module.
 * fput() lets go of the module when its caller has left that code. module_put() here
 * would return into text that is freed.
 */
static const struct file_operations pin_fops = {
	.owner = THIS_MODULE,
};

static struct page **page_at(const struct zio_loan *loan, const void *at)
{
	return &loan->area->pages[PFN_DOWN(at - loan->area->mem)];
}

/* Does anybody but the area refer to the pages of the block? */
static bool is_held(const struct zio_loan *loan)
{
	const struct zio_block *block = loan->block;
	struct page **page = page_at(loan, block->data);
	struct page **last = page_at(loan, block->data + block->len - 1);

	for (; page <= last; page++)
		if (page_ref_count(*page) != 1)
			return true;
	smp_mb();						/* P */
	return false;
}

/* The lock is held. */
static void give_back(struct zio_loan *loan)
{
	struct zio_channel_core *chan = loan->chan;
	struct zio_block *block = loan->block;

	chan->lender->n_blocks--;
	loan->block = NULL;
	to_block_core(block)->loan = NULL;
	to_block_core(block)->home = NULL;
	zio_area_return(loan->area);
	chan->buf->type->ops->put_block(chan->buf, block);
}

static void free_loan(struct zio_loan *loan)
{
	zio_pages_unpin(loan->owner, loan->pages);
	zio_area_put(loan->area);
	put_pid(loan->lent_to);
	kobject_put(&loan->chan->kobj);
	kfree(loan);
}

static void free_loans(struct list_head *loans)
{
	struct zio_loan *loan, *next;

	list_for_each_entry_safe(loan, next, loans, node)
		free_loan(loan);
}

/* Who sleeps for a block looks again. */
static void notify_room(struct zio_channel_core *chan)
{
	if (wq_has_sleeper(&chan->wq))
		wake_up_poll(&chan->wq, EPOLLIN | EPOLLRDNORM);
}

/* Takes back what was late, and is held no more. */
static void look_at_loans(struct zio_lender *lender)
{
	struct zio_loan *loan, *next;
	bool late = false;
	LIST_HEAD(ended);

	spin_lock(&lender->lock);
	list_for_each_entry_safe(loan, next, &lender->loans, node) {
		if (!loan->late)
			continue;
		if (is_held(loan)) {
			late = true;
			continue;
		}
		give_back(loan);
		list_move(&loan->node, &ended);
	}
	if (late)
		schedule_delayed_work(&lender->work, LOOK_AGAIN);
	spin_unlock(&lender->lock);
	if (list_empty(&ended))
		return;
	notify_room(lender->chan);
	free_loans(&ended);
}

static void look_again(struct work_struct *work)
{
	look_at_loans(container_of(to_delayed_work(work), struct zio_lender,
				   work));
}

/* The one that the channel has, or a new one; the channel is locked. */
static struct zio_lender *have_lender(struct zio_channel_core *chan)
{
	struct zio_lender *lender = chan->lender;

	if (lender)
		return lender;
	lender = kzalloc(sizeof(*lender), GFP_KERNEL);
	if (!lender)
		return NULL;
	lender->pin = anon_inode_getfile("[zio-lent]", &pin_fops, NULL, O_RDONLY);
	if (IS_ERR(lender->pin)) {
		kfree(lender);
		return NULL;
	}
	spin_lock_init(&lender->lock);
	INIT_LIST_HEAD(&lender->loans);
	INIT_DELAYED_WORK(&lender->work, look_again);
	lender->chan = chan;
	/* Pairs with the load in get_lender(). */
	smp_store_release(&chan->lender, lender);
	return lender;
}

static unsigned long count_pages(const struct zio_block *block)
{
	return PFN_UP(offset_in_page(block->data) + block->len);
}

/* The channel goes. What it has lent is back, as each loan holds the channel. */
void zio_lender_free(struct zio_lender *lender)
{
	if (!lender)
		return;
	fput(lender->pin);
	kfree(lender);
}

/**
 * zio_loan_create() - lend the pages of a block
 * @chan: the channel, locked
 * @block: an input block in the caller's hand, of a buffer with an area
 *
 * Process context. zio_loan_put() is called instead of put_block() then, for the
 * block, and once more for each zio_loan_get().
 *
 * Return: the loan; NULL when the area is mapped, without memory, or when the user
 * has lent as much as RLIMIT_MEMLOCK allows.
 */
struct zio_loan *zio_loan_create(struct zio_channel_core *chan,
				 struct zio_block *block)
{
	struct zio_lender *lender = have_lender(chan);
	struct zio_area *area = chan->buf->area;
	struct zio_loan *loan;

	if (!lender)
		return NULL;
	loan = kzalloc(sizeof(*loan), GFP_KERNEL_ACCOUNT);
	if (!loan)
		return NULL;
	loan->pages = count_pages(block);
	loan->owner = zio_pages_pin(loan->pages);
	if (!loan->owner)
		goto err_pin;
	if (!zio_area_lend(area))
		goto err_lend;
	kobject_get(&chan->kobj);
	kref_get(&area->ref);
	refcount_set(&loan->ref, 1);
	loan->chan = chan;
	loan->area = area;
	loan->block = block;
	loan->len = block->len;
	loan->lent_to = get_pid(task_tgid(current));
	to_block_core(block)->loan = loan;
	to_block_core(block)->home = chan->buf;
	spin_lock(&lender->lock);
	list_add_tail(&loan->node, &lender->loans);
	lender->n_blocks++;
	spin_unlock(&lender->lock);
	return loan;

err_lend:
	zio_pages_unpin(loan->owner, loan->pages);
err_pin:
	kfree(loan);
	return NULL;
}

/* One user more; false if there are as many as can be counted. */
bool zio_loan_get(struct zio_loan *loan)
{
	if (refcount_read(&loan->ref) > INT_MAX / 2)
		return false;
	refcount_inc(&loan->ref);
	return true;
}

/* The last one has done with it. False: it is late, or somebody else's now. */
static bool end_loan(struct zio_loan *loan)
{
	struct zio_lender *lender = loan->chan->lender;
	bool ended = true;

	spin_lock(&lender->lock);
	if (loan->block && is_held(loan)) {
		loan->late = true;
		schedule_delayed_work(&lender->work, LOOK_AGAIN);
		ended = false;
	} else if (loan->block) {
		give_back(loan);
	}
	if (ended)
		list_del(&loan->node);
	spin_unlock(&lender->lock);
	return ended;
}

/**
 * zio_loan_put() - one user less; may be the last
 * @loan: the loan
 *
 * Process context; not with the lock of its lender held.
 */
void zio_loan_put(struct zio_loan *loan)
{
	if (!refcount_dec_and_test(&loan->ref) || !end_loan(loan))
		return;
	notify_room(loan->chan);
	free_loan(loan);
}

/**
 * zio_loans_recall() - all blocks that are lent are put
 * @chan: the channel, locked, held by nobody's session any more
 *
 * Process context. What pipes have stays readable.
 */
void zio_loans_recall(struct zio_channel_core *chan)
{
	struct zio_lender *lender = chan->lender;
	struct zio_loan *loan, *next;
	LIST_HEAD(ended);

	if (!lender)
		return;
	spin_lock(&lender->lock);
	list_for_each_entry_safe(loan, next, &lender->loans, node) {
		if (loan->block)
			give_back(loan);
		if (loan->late)
			list_move(&loan->node, &ended);
	}
	spin_unlock(&lender->lock);
	cancel_delayed_work_sync(&lender->work);
	free_loans(&ended);
}

static bool get_buffer(struct pipe_inode_info *pipe, struct pipe_buffer *buf)
{
	return zio_loan_get((struct zio_loan *)buf->private);
}

static void release_buffer(struct pipe_inode_info *pipe,
			   struct pipe_buffer *buf)
{
	zio_loan_put((struct zio_loan *)buf->private);
}

/* Nobody steals the pages: there is no try_steal. */
static const struct pipe_buf_operations loan_pipe_ops = {
	.get = get_buffer,
	.release = release_buffer,
};

/*
 * What is less than a page is copied, together with what follows it; and what an
 * output plays.
 */
static struct zio_loan *lend_block(struct zio_session *sess)
{
	struct zio_block *block = sess->block;

	if (to_block_core(block)->loan)
		return to_block_core(block)->loan;
	if (to_block_core(block)->home || block->len - to_block_core(block)->used < PAGE_SIZE ||
	    !sess->chan->buf->area)
		return NULL;
	return zio_loan_create(sess->chan, block);
}

/* Pages of the block in hand; a block at its end goes. */
static int splice_pages(struct zio_session *sess, struct zio_loan *loan,
			struct pipe_inode_info *pipe, size_t *room)
{
	struct zio_block *block = sess->block;

	while (*room && to_block_core(block)->used < block->len) {
		void *at = block->data + to_block_core(block)->used;
		struct pipe_buffer buf = {
			.page = *page_at(loan, at),
			.offset = offset_in_page(at),
			.ops = &loan_pipe_ops,
			.private = (unsigned long)loan,
		};
		int n;

		buf.len = min3(block->len - to_block_core(block)->used, *room,
			       PAGE_SIZE - offset_in_page(at));
		refcount_inc(&loan->ref);
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

/* As read(): as long as there are blocks, but not beyond one whose control was read. */
static ssize_t splice_blocks(struct zio_session *sess,
			     struct pipe_inode_info *pipe, size_t all)
{
	struct zio_loan *loan;
	size_t room = all;
	int ret;

	do {
		loan = lend_block(sess);
		if (!loan) {
			ret = -EOPNOTSUPP;
			break;
		}
		ret = splice_pages(sess, loan, pipe, &room);
		if (ret || !room || (sess->ctrl_seen && !sess->block) ||
		    zio_must_stop())
			break;
		ret = zio_session_next(sess, true);
	} while (!ret);
	return room != all ? all - room : ret;
}

static bool has_loans(const struct zio_channel_core *chan)
{
	return chan->lender && READ_ONCE(chan->lender->n_blocks);
}

struct splice_wait {
	const struct pipe_inode_info *pipe;
	unsigned long lost;
	bool asked;
};

/* All memory is in somebody's hand: maybe in this very pipe, which the caller reads. */
static bool would_deadlock(const struct zio_channel_core *chan,
			   const struct splice_wait *splice_wait)
{
	const struct pipe_inode_info *pipe = splice_wait->pipe;

	return !pipe_empty(READ_ONCE(pipe->head), READ_ONCE(pipe->tail)) &&
		has_loans(chan) &&
		(zio_channel_is_starved(chan) || READ_ONCE(chan->lost) != splice_wait->lost);
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

/* What can be had at once. */
static ssize_t splice_now(struct file *in, struct pipe_inode_info *pipe, size_t len)
{
	struct zio_session *sess = in->private_data;
	ssize_t ret = zio_session_lock(sess);

	if (ret)
		return ret;
	if (has_loans(sess->chan))
		look_at_loans(sess->chan->lender);
	ret = zio_session_next(sess, true);
	if (!ret)
		ret = splice_blocks(sess, pipe, len);
	zio_session_unlock(sess);
	return ret == -EOPNOTSUPP ? zio_pipe_copy(in, pipe, len) : ret;
}

/**
 * zio_data_splice_read() - splice_read() of the data of an input
 * @in: the node
 * @ppos: not looked at
 * @pipe: the pipe, locked; unlocked while this sleeps
 * @len: bytes
 * @flags: not looked at: whether it sleeps is told by the file, as for read()
 *
 * Blocks are lent if that can be; else, and if they are smaller than a page, they
 * are copied.
 *
 * Return: bytes; -EAGAIN, too, when all memory is lent, and some of it perhaps to
 * this pipe; else as read().
 */
ssize_t zio_data_splice_read(struct file *in, loff_t *ppos,
			     struct pipe_inode_info *pipe, size_t len,
			     unsigned int flags)
{
	struct zio_session *sess = in->private_data;
	ssize_t ret;

	if (!len)
		return 0;
	do {
		ret = splice_now(in, pipe, len);
		if (ret != -EAGAIN || (in->f_flags & O_NONBLOCK))
			break;
		ret = wait_block(sess, pipe);
	} while (!ret);
	return ret;
}
