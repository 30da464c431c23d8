// SPDX-License-Identifier: GPL-2.0-only
/*
 * configfs_test.c: the module zio-configfs comes and goes beside the core
 *
 * # check kasan
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include "board.h"
#include "harness.h"

#define SOURCE	CSET0 "/current_trigger"
#define SHARED	ZIO_CONFIG "/triggers/hrt/shared"
#define MADE	ZIO_CONFIG "/devices/zzero/made"

SETUP(fresh)
{
	load("zio-trig-hrt");
	load("zio-configfs");
	renew_zzero();
}

TEST("the core and its triggers need no module for configfs", fresh)
{
	unload("zio-configfs");
	ASSERT_TRUE(!exists(ZIO_CONFIG));
	write_text(SOURCE, "hrt");
	ASSERT_TEXT(SOURCE, "hrt");
	refuse(SOURCE, "shared", EINVAL);
	write_text(SOURCE, "user");
	read_sawtooth(ZZERO "-0-2-data", 7);
}

TEST("types from before and after the module have directories", fresh)
{
	unload("zio-trig-hrt");
	unload("zio-zero");
	unload("zio-configfs");
	load("zio-zero");
	load("zio-configfs");
	ASSERT_TRUE(exists(ZIO_CONFIG "/devices/zzero"));
	ASSERT_TRUE(!exists(ZIO_CONFIG "/triggers/hrt"));
	ASSERT_TRUE(!exists(ZIO_CONFIG "/triggers/user"));
	load("zio-trig-hrt");
	ASSERT_TRUE(exists(ZIO_CONFIG "/triggers/hrt"));
	unload("zio-zero");
	ASSERT_TRUE(!exists(ZIO_CONFIG "/devices/zzero"));
}

TEST("what a user has made keeps the module", fresh)
{
	ASSERT_TRUE(!mkdir(MADE, 0755));
	ASSERT_TRUE(shell("rmmod zio-configfs 2>/dev/null"));
	ASSERT_TRUE(!rmdir(MADE));
	ASSERT_TRUE(!mkdir(SHARED, 0755));
	write_text(SOURCE, "shared");
	ASSERT_TRUE(shell("rmmod zio-configfs 2>/dev/null"));
	ASSERT_TRUE(rmdir(SHARED) && errno == EBUSY);
	write_text(SOURCE, "user");
	ASSERT_TRUE(!rmdir(SHARED));
	unload("zio-configfs");
	ASSERT_TRUE(!exists(ZIO_CONFIG));
}

/*
 * Makes and removes triggers, and has a set use them, until the end. Each step may fail. The pause
 * lets the module go.
 */
static void use_configfs(void)
{
	while (true) {
		mkdir(SHARED, 0755);
		shell("{ echo shared >" SOURCE "; cat " SOURCE "; echo user >" SOURCE "; }"
		      " >/dev/null 2>&1");
		rmdir(SHARED);
		usleep(3000);
	}
}

TEST("the module comes and goes while others make triggers, and types come and go", fresh)
{
	pid_t user = fork_child(), loader;
	int i, left = 0;

	if (!user)
		use_configfs();
	loader = fork_child();
	while (!loader)
		shell("{ rmmod zio-trig-hrt; modprobe zio-trig-hrt; } >/dev/null 2>&1");
	for (i = 0; i < 50; i++) {
		left += !shell("rmmod zio-configfs 2>/dev/null");
		load("zio-configfs");
	}
	kill(user, SIGKILL);
	kill(loader, SIGKILL);
	ASSERT_EQ(waitpid(user, NULL, 0), user);
	ASSERT_EQ(waitpid(loader, NULL, 0), loader);
	ASSERT_TRUE(left > 0);
	write_text(SOURCE, "user");
	ASSERT_TRUE(!rmdir(SHARED) || errno == ENOENT);
	wait_for(10, !shell("rmmod zio-configfs 2>/dev/null"));
	ASSERT_TRUE(!exists(ZIO_CONFIG));
}
