/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * zdma.h: boards of zio-dmaengine on the model soft-dma
 *
 * The words of the model count up. A transfer that is terminated takes no count. So the
 * words of mode "sg" never have a gap. Those of mode "cyclic" have the gaps that the
 * sequence numbers tell. As a sink the model counts the words, adds them, and counts those
 * that do not follow the word before.
 */
#ifndef ZDMA_H
#define ZDMA_H

#include <dirent.h>
#include <sys/stat.h>

#include "board.h"
#include "harness.h"

#define ZDMA_CONFIG	ZIO_CONFIG "/devices/zdma"
#define BOARD		"/sys/bus/zio/devices/zdma-0000"
#define SET		BOARD "/cset0"
#define CHAN		SET "/chan0"
#define NODE		"/dev/zio/zdma-0000-0-0"
#define MODEL		"/sys/module/soft_dma/parameters/"
#define ALARM_ERROR	1
#define ALARM_LAPPED	2

/* Finds the name of a channel of the model in /sys/class/dma. */
static inline void find_channel(int n, char *name, size_t size)
{
	DIR *dir = opendir("/sys/class/dma");
	char path[300], to[300], wanted[16];
	struct dirent *entry;
	ssize_t len;

	ASSERT_TRUE(dir);
	snprintf(wanted, sizeof(wanted), "chan%d", n);
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/class/dma/%s", entry->d_name);
		len = readlink(path, to, sizeof(to) - 1);
		if (len < 0)
			continue;
		to[len] = '\0';
		if (strstr(to, "soft-dma") && strstr(entry->d_name, wanted)) {
			snprintf(name, size, "%s", entry->d_name);
			closedir(dir);
			return;
		}
	}
	FAIL("no channel %d of the model", n);
}

static inline void set_config(const char *board, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), ZDMA_CONFIG "/%s/%s", board, name);
	write_text(path, value);
}

static inline void make_channel(const char *board, int channel, const char *mode, const char *depth)
{
	char path[128], name[256];

	find_channel(channel, name, sizeof(name));
	snprintf(path, sizeof(path), ZDMA_CONFIG "/%s", board);
	ASSERT_EQ(mkdir(path, 0755), 0);
	set_config(board, "channel", name);
	set_config(board, "mode", mode);
	set_config(board, "depth", depth);
	set_config(board, "ssize", "4");
	set_config(board, "nsamples", "256");
	set_config(board, "id", channel ? "1" : "0");
}

static inline void load_model(const char *options)
{
	shell("rmdir " ZDMA_CONFIG "/* 2>/dev/null");
	load("zio-buf-vmalloc");
	load("zio-dmaengine");
	if (is_loaded("soft_dma"))
		run("rmmod soft_dma");
	run("insmod /selftests/soft-dma.ko %s", options);
}

static inline void make_directed(const char *direction, const char *mode,
				 const char *depth, const char *options)
{
	load_model(options);
	make_channel("one", 0, mode, depth);
	set_config("one", "direction", direction);
	set_config("one", "live", "1");
	run("zio-links");
}

static uint32_t words[1 << 20];

static inline void start_model(const char *batch)
{
	write_text(MODEL "batch", batch);
}

static inline void check_nothing_lost(void)
{
	ASSERT_EQ(read_number(CHAN "/statistics/lost_blocks"), 0);
}

static inline void remove_board_and_modules(void)
{
	ASSERT_EQ(rmdir(ZDMA_CONFIG "/one"), 0);
	while (shell("rmmod zio_dmaengine 2>/dev/null"))
		usleep(1000);
	run("rmmod soft_dma");
}

#endif /* ZDMA_H */
