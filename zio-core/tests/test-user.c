// SPDX-License-Identifier: GPL-2.0-only
/* test-user.c: write files in sysfs, and use the nodes of channels, as programs do */
#include <linux/configfs.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernfs.h>
#include <linux/mount.h>
#include <linux/uio.h>

#include "configfs/internal.h"
#include "test-device.h"

/* Writes a file of @kobj. Returns 0; -ENOENT without the file; or an error of the file. */
int test_store(struct kobject *kobj, const char *name, const char *text)
{
	struct kernfs_node *node = kernfs_find_and_get(kobj->sd, name);
	size_t len = strlen(text);
	ssize_t n;

	if (!node)
		return -ENOENT;
	n = kobj->ktype->sysfs_ops->store(kobj, node->priv, text, len);
	kernfs_put(node);
	if (n < 0)
		return n;
	return n == len ? 0 : -EIO;
}

int test_store_u32(struct kobject *kobj, const char *name, u32 value)
{
	char text[12];

	snprintf(text, sizeof(text), "%u\n", value);
	return test_store(kobj, name, text);
}

/* Returns the text of a file of @kobj; "" without the file. */
const char *test_show(struct kunit *test, struct kobject *kobj, const char *name)
{
	struct kernfs_node *node = kernfs_find_and_get(kobj->sd, name);
	void *page = (void *)get_zeroed_page(GFP_KERNEL);
	char *text = "";

	if (node && page && kobj->ktype->sysfs_ops->show(kobj, node->priv, page) >= 0) {
		text = kunit_kzalloc(test, strlen(page) + 1, GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, text);
		memcpy(text, page, strlen(page));
	}
	kernfs_put(node);
	free_page((unsigned long)page);
	return text;
}

/* Reads current-control. If there is no such file, @ctrl becomes zero. */
void test_read_control(struct zio_channel_core *chan, struct zio_control *ctrl)
{
	ZIO_BIN_ATTR_CONST struct bin_attribute *attr;
	struct kernfs_node *node = kernfs_find_and_get(chan->kobj.sd, "current-control");

	memset(ctrl, 0, sizeof(*ctrl));
	if (!node)
		return;
	attr = node->priv;
	attr->read(NULL, &chan->kobj, attr, (char *)ctrl, 0, sizeof(*ctrl));
	kernfs_put(node);
}

/* Finds a directory. Its default groups and those of types stay until the test ends. */
static struct config_group *find_group(struct kunit *test, struct config_group *in,
				       const char *name)
{
	struct config_item *item = config_group_find_item(in, name);

	KUNIT_ASSERT_NOT_NULL(test, item);
	config_item_put(item);
	return to_config_group(item);
}

struct made {
	struct config_group *in;
	struct config_item *item;
};

static void drop_item(void *arg)
{
	const struct made *made = arg;
	const struct configfs_group_operations *ops = made->in->cg_item.ci_type->ct_group_ops;

	if (ops->drop_item)
		ops->drop_item(made->in, made->item);
	else
		config_item_put(made->item);
}

/*
 * Makes an item as mkdir does in zio/@folder/@type of configfs. It has no directory, and
 * KUnit drops it after the test.
 */
struct config_item *test_make_item(struct kunit *test, const char *folder,
				   const char *type, const char *name)
{
	struct config_group *root = to_config_group(zio_configfs_devices.cg_item.ci_parent);
	struct config_group *in = find_group(test, find_group(test, root, folder), type);
	struct made *made = kunit_kzalloc(test, sizeof(*made), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, made);
	made->in = in;
	made->item = in->cg_item.ci_type->ct_group_ops->make_item(in, name);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, made->item);
	test_add_action(test, drop_item, made);
	return made->item;
}

static struct configfs_attribute *find_file(struct config_item *item, const char *name)
{
	struct configfs_attribute **attr = item->ci_type->ct_attrs;

	while (*attr && strcmp((*attr)->ca_name, name))
		attr++;
	return *attr;
}

/* Writes a file of @item. Returns 0; -ENOENT without the file; or an error of the file. */
int test_store_item(struct config_item *item, const char *name, const char *text)
{
	struct configfs_attribute *attr = find_file(item, name);
	ssize_t n = attr ? attr->store(item, text, strlen(text)) : -ENOENT;

	return n < 0 ? n : 0;
}

/* Returns the text of a file of @item. */
const char *test_show_item(struct kunit *test, struct config_item *item, const char *name)
{
	struct configfs_attribute *attr = find_file(item, name);
	char *page = test_vmalloc(test, PAGE_SIZE);

	KUNIT_ASSERT_NOT_NULL(test, attr);
	KUNIT_ASSERT_GE(test, attr->show(item, page), 0);
	return page;
}

struct closing {
	struct work_struct work;
	struct file *file;
};

static void close_in_worker(struct work_struct *work)
{
	__fput_sync(container_of(work, struct closing, work)->file);
}

/*
 * Closes a file, and waits until it is closed. fput() would do it later. __fput_sync() is
 * for kernel threads only, and the actions of an aborted test run in modprobe.
 */
void test_fput(void *file)
{
	struct closing closing = { .file = file };

	INIT_WORK_ONSTACK(&closing.work, close_in_worker);
	schedule_work(&closing.work);
	flush_work(&closing.work);
	destroy_work_on_stack(&closing.work);
}

/*
 * Opens "zio/@name" of the file system in /dev, which need not be mounted: built-in suites
 * run before. Returns an ERR_PTR if open() fails.
 */
struct file *test_open_node(struct kunit *test, const char *name, int flags)
{
	struct file_system_type *type = get_fs_type("devtmpfs");
	struct vfsmount *dev = type ? vfs_kern_mount(type, 0, "devtmpfs", NULL) :
				      ERR_PTR(-ENODEV);
	char path[64];
	struct file *file;

	if (IS_ERR(dev))
		return ERR_CAST(dev);
	snprintf(path, sizeof(path), "zio/%s", name);
	file = file_open_root_mnt(dev, path, flags, 0);
	mntput(dev);
	if (!IS_ERR(file))
		test_add_action(test, test_fput, file);
	return file;
}

/* Opens a node, "ctrl" or "data", non-blocking. Returns an ERR_PTR if open() fails. */
struct file *test_open(struct kunit *test, struct zio_channel_core *chan,
		       const char *node, int flags)
{
	char name[48];

	snprintf(name, sizeof(name), "%s-%04x-%u-%u-%s", chan->cset->zdev->name,
		 chan->cset->zdev->id, chan->cset->pub.index, chan->pub.index, node);
	return test_open_node(test, name, flags | O_NONBLOCK);
}

void test_close(struct kunit *test, struct file *file)
{
	test_release_action(test, test_fput, file);
}

/* Reads from a node; NULL for @data discards what is read. Returns as read(). */
ssize_t test_read(struct file *file, void *data, size_t n)
{
	struct kvec vec = { .iov_base = data, .iov_len = n };
	struct iov_iter iter;
	loff_t pos = 0;

	if (data)
		iov_iter_kvec(&iter, READ, &vec, 1, n);
	else
		iov_iter_discard(&iter, READ, n);
	return vfs_iter_read(file, &iter, &pos, 0);
}

/* Returns as write(). */
ssize_t test_write(struct file *file, const void *data, size_t n)
{
	struct kvec vec = { .iov_base = (void *)data, .iov_len = n };
	struct iov_iter iter;
	loff_t pos = 0;

	iov_iter_kvec(&iter, WRITE, &vec, 1, n);
	return vfs_iter_write(file, &iter, &pos, 0);
}

/* Opens the ring of an input. Returns the file, or an ERR_PTR. */
struct file *test_open_ring(struct kunit *test, struct zio_channel_core *chan)
{
	return test_open(test, chan, "ctrl", O_RDWR);
}

struct test_user *test_user_open(struct kunit *test, struct zio_channel_core *chan)
{
	int flags = zio_cset_is_output(chan->cset) ? O_RDWR : O_RDONLY;
	struct test_user *user = kunit_kzalloc(test, sizeof(*user), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, user);
	user->test = test;
	user->ctrl = test_open(test, chan, "ctrl", flags);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, user->ctrl);
	user->data = test_open(test, chan, "data", flags);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, user->data);
	user->sess = user->data->private_data;
	return user;
}

/* The program closes its files before the test ends. */
void test_user_close(struct test_user *user)
{
	test_close(user->test, user->data);
	test_close(user->test, user->ctrl);
}

/*
 * Reads the next control. The block of the last control is put. Returns the block of the
 * control, which is the current block of the session; or an ERR_PTR.
 */
struct zio_block *test_user_next(struct test_user *user)
{
	ssize_t n = test_read(user->ctrl, NULL, sizeof(struct zio_control));

	return n < 0 ? ERR_PTR(n) : user->sess->block;
}

/* Reads the current block of an input to its end. */
void test_user_put(struct test_user *user)
{
	struct zio_block *block = user->sess->block;
	size_t n = block->len - to_block_core(block)->used;

	KUNIT_EXPECT_EQ(user->test, test_read(user->data, NULL, n), n);
}
