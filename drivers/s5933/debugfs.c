// SPDX-License-Identifier: GPL-2.0-only
/* debugfs.c: the registers and the NVRAM of an S5933, for people */
#include <linux/debugfs.h>
#include <linux/export.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/zio-s5933.h>

/*
 * Reading the FIFO takes a word, and reading an incoming mailbox clears its flags. So the
 * dump omits these registers.
 */
static const struct {
	const char *name;
	unsigned int reg;
} s5933_regs[] = {
	{ "OMB1", S5933_OMB(1) },
	{ "OMB2", S5933_OMB(2) },
	{ "OMB3", S5933_OMB(3) },
	{ "OMB4", S5933_OMB(4) },
	{ "MWAR", S5933_MWAR },
	{ "MWTC", S5933_MWTC },
	{ "MRAR", S5933_MRAR },
	{ "MRTC", S5933_MRTC },
	{ "MBEF", S5933_MBEF },
	{ "INTCSR", S5933_INTCSR },
	{ "MCSR", S5933_MCSR },
};

static int s5933_registers_show(struct seq_file *file, void *data)
{
	struct s5933 *chip = file->private;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(s5933_regs); i++)
		seq_printf(file, "%-6s %08x\n", s5933_regs[i].name,
			   s5933_read(chip, s5933_regs[i].reg));
	if (chip->ops->dump)
		chip->ops->dump(chip, file);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(s5933_registers);

/* The seq_file calls this once per reader, and its lock admits one reader at a time. */
static int s5933_nvram_show(struct seq_file *file, void *data)
{
	u8 *bytes = kmalloc(S5933_NVRAM_BOOT, GFP_KERNEL);
	int ret;

	if (!bytes)
		return -ENOMEM;
	ret = s5933_nvram_read(file->private, S5933_NVRAM_BOOT, bytes,
			       S5933_NVRAM_BOOT);
	if (!ret)
		seq_hex_dump(file, "", DUMP_PREFIX_OFFSET, 16, 1, bytes,
			     S5933_NVRAM_BOOT, false);
	kfree(bytes);
	return ret;
}
DEFINE_SHOW_ATTRIBUTE(s5933_nvram);

static void s5933_remove_dump(void *data)
{
	debugfs_remove_recursive(data);
}

/**
 * s5933_create_dump() - create /sys/kernel/debug/DRIVER-ADDRESS/{registers,nvram}
 * @chip: the chip; the files are removed with its device
 *
 * "nvram" contains the boot image.
 *
 * Context: process, sleeps.
 * Return: 0 or -ENOMEM; 0 on a kernel without debugfs.
 */
int s5933_create_dump(struct s5933 *chip)
{
	struct dentry *dir;
	char name[60];

	scnprintf(name, sizeof(name), "%s-%s", dev_driver_string(chip->dev),
		  pci_name(chip->pdev));
	dir = debugfs_create_dir(name, NULL);
	debugfs_create_file("registers", 0400, dir, chip, &s5933_registers_fops);
	debugfs_create_file("nvram", 0400, dir, chip, &s5933_nvram_fops);
	return devm_add_action_or_reset(chip->dev, s5933_remove_dump, dir);
}
EXPORT_SYMBOL_GPL(s5933_create_dump);
