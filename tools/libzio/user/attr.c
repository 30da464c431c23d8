// SPDX-License-Identifier: LGPL-2.1-or-later
/* Attributes of a device that a program drives */
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "user.h"

static struct user_ask *new_ask(struct zio_user *dev)
{
	struct user_ask *ask;

	for (ask = dev->asks; ask; ask = ask->next)
		if (!ask->is_held)
			return ask;
	ask = calloc(1, sizeof(*ask));
	if (!ask)
		return NULL;
	ask->dev = dev;
	ask->next = dev->asks;
	dev->asks = ask;
	return ask;
}

static int add_refusal(struct zio_user *dev, unsigned int set, uint64_t id, int error,
		       const char *reason)
{
	struct uzio_refuse refuse = {
		.head = { .size = sizeof(refuse), .type = UZIO_REFUSE, .set = (uint16_t)set,
			  .id = id },
		.error = (uint32_t)error,
	};
	size_t i;

	/* The kernel takes ASCII only, without control characters. */
	for (i = 0; reason[i] && i < sizeof(refuse.reason) - 1; i++)
		refuse.reason[i] = iscntrl((unsigned char)reason[i]) ? ' ' :
				   isascii(reason[i]) ? reason[i] : '?';
	return zio_user_add_answer(dev, &refuse, sizeof(refuse), "", 0);
}

struct zio_user_request *zio_user_hold_value(struct zio_user *dev, const struct uzio_value *value)
{
	struct user_ask *ask = new_ask(dev);

	if (!ask) {
		add_refusal(dev, value->head.set, value->head.id, EIO, "out of memory");
		return NULL;
	}
	ask->id = value->head.id;
	ask->is_held = true;
	ask->request = (struct zio_user_request){
		.type = UZIO_SET, .set = value->head.set, .chan = value->chan,
		.attr = value->attr, .value = value->value,
	};
	return &ask->request;
}

/* Return whose request has no answer; NULL with EINVAL if there is none. */
static struct user_ask *find_ask(struct zio_user *dev, struct zio_user_request *req)
{
	struct user_ask *ask = (struct user_ask *)((char *)req - offsetof(struct user_ask,
									  request));

	if (ask->is_held && ask->dev == dev)
		return ask;
	zio_user_refuse_answered(dev);
	return NULL;
}

static int add_value(struct zio_user *dev, uint64_t id, unsigned int attr, unsigned int chan,
		     int64_t value)
{
	const struct uzio_value record = {
		.head = { .size = sizeof(record), .type = UZIO_VALUE, .id = id,
			  .set = dev->attrs[attr].set },
		.attr = (uint16_t)attr, .chan = (uint16_t)chan, .value = value,
	};

	return zio_user_add_answer(dev, &record, sizeof(record), "", 0);
}

int zio_user_value_done(struct zio_user *dev, struct zio_user_request *req)
{
	struct user_ask *ask = find_ask(dev, req);

	if (!ask || add_value(dev, ask->id, req->attr, req->chan, req->value))
		return -1;
	ask->is_held = false;
	return 0;
}

int zio_user_refuse(struct zio_user *dev, struct zio_user_request *req, int error,
		    const char *reason)
{
	struct user_ask *ask;

	if (!dev || !req || !reason)
		return zio_refuse_null();
	if (req->type != UZIO_SET)
		return zio_explain(&dev->error, EINVAL,
				   "%s: only an attribute is refused with a reason", dev->name);
	ask = find_ask(dev, req);
	if (!ask || zio_user_check_error(dev, error) ||
	    add_refusal(dev, req->set, ask->id, error, reason))
		return -1;
	ask->is_held = false;
	return 0;
}

int zio_user_put(struct zio_user *dev, unsigned int attr, unsigned int chan, int64_t value)
{
	if (!dev)
		return zio_refuse_null();
	if (attr >= dev->n_attrs || chan >= dev->attrs[attr].n_chan)
		return zio_explain(&dev->error, EINVAL,
				   "%s: there is no attribute %u of channel %u", dev->name, attr,
				   chan);
	return add_value(dev, 0, attr, chan, value);
}

static struct uzio_record news_of(unsigned int set, unsigned int type, size_t size)
{
	return (struct uzio_record){
		.size = (uint32_t)size, .type = (uint16_t)type, .set = (uint16_t)set,
	};
}

int zio_user_put_timing(struct zio_user *dev, unsigned int set, const struct uzio_set *now)
{
	struct uzio_timing timing = { .head = news_of(set, UZIO_TIMING, sizeof(timing)) };

	if (!dev || !now)
		return zio_refuse_null();
	if (set >= dev->n_sets)
		return zio_explain(&dev->error, EINVAL, "%s: there is no set %u", dev->name, set);
	timing.rate_num = now->rate_num;
	timing.rate_den = now->rate_den;
	timing.error_ns = now->error_ns;
	timing.first_ps = now->first_ps;
	return zio_user_add_answer(dev, &timing, sizeof(timing), "", 0);
}

int zio_user_put_scale(struct zio_user *dev, unsigned int set, unsigned int chan,
		       const struct uzio_set *now)
{
	struct uzio_scale scale = {
		.head = news_of(set, UZIO_SCALE, sizeof(scale)), .chan = chan,
	};

	if (!dev || !now)
		return zio_refuse_null();
	if (set >= dev->n_sets || (chan != UZIO_ALL_CHANNELS && chan >= dev->sets[set].n_chan))
		return zio_explain(&dev->error, EINVAL, "%s: set %u: there is no channel %u",
				   dev->name, set, chan);
	scale.scaling = now->scaling;
	return zio_user_add_answer(dev, &scale, sizeof(scale), "", 0);
}
