// SPDX-License-Identifier: GPL-2.0-only
/* The clocks of time stamps, and what the host knows about them */
#include <string.h>
#include <sys/timex.h>
#include <time.h>

#include "clock.h"
#include "common/program.h"
#include "common/text.h"

#define NS_PER_SECOND 1000000000LL
#define N_KEPT 16

static const char *const names[] = {
	[CLOCK_REALTIME] = "realtime",
	[CLOCK_MONOTONIC] = "monotonic",
	[CLOCK_BOOTTIME] = "boottime",
	[CLOCK_TAI] = "tai",
};

/* Where the control has the clock; NULL if nowhere */
static const uint32_t *clock_place(const struct zio_ctrl_attr *attr)
{
	if (attr->std_mask & (1u << ZIO_ATTR_TRIG_CLOCK))
		return &attr->std_val[ZIO_ATTR_TRIG_CLOCK];
	if (attr->ext_mask & (UINT32_C(1) << ZIO_ATTR_TRIG_EXT_CLOCK))
		return &attr->ext_val[ZIO_ATTR_TRIG_EXT_CLOCK];
	return NULL;
}

int clock_of(const struct zio_control *control)
{
	const uint32_t *clock = clock_place(&control->attr_trigger);

	return clock ? (int)*clock : CLOCK_REALTIME;
}

bool set_clock(struct zio_control *control, int clock)
{
	uint32_t *place = (uint32_t *)clock_place(&control->attr_trigger);

	if (place)
		*place = (uint32_t)clock;
	return clock_of(control) == clock;
}

static int64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	return clock_gettime(clock, &ts) ? 0 : ts.tv_sec * NS_PER_SECOND + ts.tv_nsec;
}

static bool is_local(int clock)
{
	return clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME;
}

/* Take the mean of two readings of the local clock, some nanoseconds apart. */
static int64_t offset_of_local(int clock)
{
	int64_t before = now_ns(clock), real = now_ns(CLOCK_REALTIME);

	return real - (before + (now_ns(clock) - before) / 2);
}

/* The kernel knows the offset of TAI only if a daemon has set it. */
static void judge(struct clock_news *news, int clock, const struct timex *timex, int ret)
{
	bool is_bad = ret < 0 || ret == TIME_ERROR || (timex->status & STA_UNSYNC);

	news->error = is_bad ? -1 : timex->maxerror * 1000LL;
	news->state = is_local(clock) ? "local" : is_bad ? "unsynchronised" : "synchronised";
	news->has_offset = clock != CLOCK_TAI || timex->tai;
	if (is_local(clock))
		news->offset = offset_of_local(clock);
	else if (clock == CLOCK_TAI)
		news->offset = -(int64_t)timex->tai * NS_PER_SECOND;
}

static void ask_host(struct clock_news *news, int clock)
{
	struct timex timex = { 0 };
	int ret = adjtimex(&timex);

	*news = (struct clock_news){ .error = -1 };
	put_text(news->name, sizeof(news->name), "%d", clock);
	if (clock < 0 || clock > CLOCK_TAI || !names[clock])
		return;
	put_text(news->name, sizeof(news->name), "%s", names[clock]);
	judge(news, clock, &timex, ret);
}

const struct clock_news *find_clock(int clock)
{
	static struct {
		struct clock_news news;
		double time;
		int clock;
	} kept[N_KEPT], *k;
	double now = seconds_now();

	k = &kept[(unsigned int)clock % N_KEPT];
	if (k->clock != clock || !*k->news.name || now - k->time > 1) {
		ask_host(&k->news, clock);
		k->clock = clock;
		k->time = now;
	}
	return &k->news;
}
