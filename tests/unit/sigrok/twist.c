// SPDX-License-Identifier: GPL-3.0-or-later
/*
 * twist.c: change the packets of an instrument on their way to zio-sigrok
 *
 * test_sigrok.py loads it with LD_PRELOAD. The variable TWIST names the change.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <glib.h>
#include <libsigrok/libsigrok.h>

/* A callback of the program */
struct twist {
	sr_datafeed_callback take;
	void *data;
	bool is_first_run;
};

static bool is_twist(const char *name)
{
	return !strcmp(getenv("TWIST"), name);
}

static void send(const struct twist *twist, const struct sr_dev_inst *sdi, int type,
		 const void *payload)
{
	struct sr_datafeed_packet packet = { .type = type, .payload = payload };

	twist->take(sdi, &packet, twist->data);
}

static void send_analog(struct twist *twist, const struct sr_dev_inst *sdi,
			const struct sr_datafeed_analog *from)
{
	struct sr_analog_encoding encoding = *from->encoding;
	struct sr_datafeed_analog analog = *from;

	analog.encoding = &encoding;
	if (is_twist("many digits"))
		encoding.digits = 12;
	if (is_twist("more digits later") && !twist->is_first_run)
		encoding.digits = 5;
	send(twist, sdi, SR_DF_ANALOG, &analog);
}

/* An overload of a sample, with fewer digits than the values */
static void send_overload(struct twist *twist, const struct sr_dev_inst *sdi,
			  const struct sr_datafeed_analog *from)
{
	struct sr_analog_encoding encoding = *from->encoding;
	struct sr_datafeed_analog analog = *from;
	float overload = INFINITY;

	encoding.digits = 0;
	analog.encoding = &encoding;
	analog.data = &overload;
	analog.num_samples = 1;
	send(twist, sdi, SR_DF_ANALOG, &analog);
}

/* All channels that the user has not chosen give amperes. */
static void send_others(struct twist *twist, const struct sr_dev_inst *sdi,
			const struct sr_datafeed_analog *from)
{
	struct sr_analog_meaning meaning = *from->meaning;
	struct sr_datafeed_analog analog = *from;
	GSList *at = sr_dev_inst_channels_get(sdi);
	struct sr_channel *chan;

	analog.meaning = &meaning;
	meaning.unit = SR_UNIT_AMPERE;
	for (; at; at = at->next) {
		chan = at->data;
		if (chan->enabled || chan->type != SR_CHANNEL_ANALOG)
			continue;
		meaning.channels = g_slist_append(NULL, chan);
		send(twist, sdi, SR_DF_ANALOG, &analog);
		g_slist_free(meaning.channels);
	}
}

static void take(const struct sr_dev_inst *sdi, const struct sr_datafeed_packet *packet, void *data)
{
	uint8_t bits = 0;
	const struct sr_datafeed_logic logic = { .length = 1, .unitsize = 1, .data = &bits };
	struct twist *twist = data;

	if (packet->type != SR_DF_ANALOG) {
		twist->take(sdi, packet, twist->data);
		return;
	}
	if (is_twist("others"))
		send_others(twist, sdi, packet->payload);
	if (is_twist("logic"))
		send(twist, sdi, SR_DF_LOGIC, &logic);
	if (is_twist("overload first") && twist->is_first_run)
		send_overload(twist, sdi, packet->payload);
	if (!is_twist("silence later") || twist->is_first_run)
		send_analog(twist, sdi, packet->payload);
	if (is_twist("frames"))
		send(twist, sdi, SR_DF_FRAME_END, NULL);
}

/* The program calls it twice for each run. */
int sr_session_datafeed_callback_add(struct sr_session *session, sr_datafeed_callback cb,
				     void *data)
{
	int (*add)(struct sr_session *, sr_datafeed_callback, void *) =
		dlsym(RTLD_NEXT, "sr_session_datafeed_callback_add");
	struct twist *twist = g_new0(struct twist, 1);
	static int calls;

	twist->take = cb;
	twist->data = data;
	twist->is_first_run = calls++ < 2;
	return add(session, take, twist);
}

int sr_config_set(const struct sr_dev_inst *sdi, const struct sr_channel_group *group,
		  uint32_t key, GVariant *data)
{
	int (*set)(const struct sr_dev_inst *, const struct sr_channel_group *, uint32_t,
		   GVariant *) = dlsym(RTLD_NEXT, "sr_config_set");

	return is_twist("frames") && key == SR_CONF_LIMIT_SAMPLES ? SR_ERR_NA :
	       set(sdi, group, key, data);
}
