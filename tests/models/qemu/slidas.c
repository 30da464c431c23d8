// SPDX-License-Identifier: GPL-2.0-only
/* slidas.c: a source of events; see slidas.h */
#include <string.h>

#include "slidas.h"

#define NO_START_LINE 4

static bool is_testing(const struct slidas *source)
{
	return source->test_index || source->cfg.mode == SLIDAS_TEST;
}

static bool is_let_run(const struct slidas *source)
{
	unsigned int lines = source->to.ops->return_lines(source->to.priv);

	return source->cfg.start_line == NO_START_LINE ||
	       lines >> source->cfg.start_line & 1;
}

static bool has_budget(const struct slidas *source)
{
	return !source->cfg.count || source->left;
}

static uint64_t trigger_time(const struct slidas *source)
{
	unsigned __int128 ns = (unsigned __int128)source->trigger_index *
			       1000000000;

	return source->trigger_from + ns / source->cfg.rate;
}

/* Return: when the next event would begin if the link were free. */
static uint64_t start_ns(const struct slidas *source)
{
	if (!has_budget(source) || !is_let_run(source))
		return SLINK_NEVER;
	switch (source->cfg.mode) {
	case SLIDAS_SINGLE:
		return source->wanted ? source->next_at : SLINK_NEVER;
	case SLIDAS_BLOCK:
	case SLIDAS_TEST:
		return source->next_at;
	case SLIDAS_TRIGGER:
		return slink_later(trigger_time(source), source->next_at);
	}
	return SLINK_NEVER;
}

static bool may_send(const struct slidas *source)
{
	if (source->fault & SLIDAS_FLOOD)
		return slink_is_up(&source->to);
	return slink_may_send(&source->to, source->slack);
}

static bool is_broken(const struct slidas *source)
{
	return source->phase != SLIDAS_IDLE && !slink_is_up(&source->to);
}

static bool is_idle(const struct slidas *source)
{
	return source->phase == SLIDAS_IDLE && !source->test_index;
}

uint64_t slidas_next_ns(const struct slidas *source)
{
	uint64_t at = source->next_at;

	if (!source->to.ops)
		return SLINK_NEVER;
	if (is_broken(source))
		return *source->now;
	if (is_idle(source)) {
		at = start_ns(source);
		if (!slink_is_up(&source->to) || slink_is_full(&source->to))
			return SLINK_NEVER;
	} else if (!may_send(source)) {
		return SLINK_NEVER;
	}
	return at == SLINK_NEVER ? at : slink_later(at, *source->now);
}

uint32_t slidas_run_length(const struct slidas *source)
{
	if (source->phase != SLIDAS_AT_DATA || source->fault)
		return 0;
	return source->length - source->index;
}

/* --- one event ------------------------------------------------------------ */

static uint32_t faults_of_next(struct slidas *source)
{
	uint32_t every = source->cfg.every;
	uint32_t faults = source->next_fault;

	if (every && source->event % every == every - 1)
		faults |= source->cfg.faults;
	source->next_fault = 0;
	return faults;
}

static uint32_t length_of_next(const struct slidas *source)
{
	const struct slidas_config *cfg = &source->cfg;
	uint32_t length = slidas_size(cfg->sizes, cfg->size, cfg->size_max,
				      cfg->step, cfg->seed, source->event);

	if (cfg->pattern == SLIDAS_ATLAS && length < SLIDAS_ATLAS_MIN)
		return SLIDAS_ATLAS_MIN;
	return length;
}

static void begin_event(struct slidas *source)
{
	source->run = source->cfg;
	source->fault = faults_of_next(source);
	source->length = length_of_next(source);
	source->number = source->event++;
	source->index = 0;
	source->odd_sent = false;
	source->at = source->run.at < source->length ? source->run.at :
						      source->length / 2;
	source->stats.events++;
	source->stats.faulty += !!source->fault;
	if (source->left)
		source->left--;
	if (source->run.mode == SLIDAS_SINGLE)
		source->wanted--;
	source->phase = source->fault & SLIDAS_NO_BEGIN ? SLIDAS_AT_DATA :
							  SLIDAS_AT_BEGIN;
}

static void end_event(struct slidas *source)
{
	source->phase = SLIDAS_IDLE;
	source->fault = 0;
	source->stats.complete++;
	source->next_at += source->run.gap_ns;
}

static void send(struct slidas *source, struct slink_word word)
{
	if (word.flags & SLINK_CONTROL)
		source->stats.controls++;
	else
		source->stats.words++;
	source->next_at = *source->now + source->cfg.word_ns;
	slink_send(&source->to, &source->slack, word);
}

static void send_control(struct slidas *source, uint32_t data, bool bad)
{
	uint8_t flags = SLINK_CONTROL | (bad ? SLINK_DAMAGED : 0);

	send(source, (struct slink_word){ data & ~0xfu, flags });
}

static bool is_here(const struct slidas *source, enum slidas_fault fault)
{
	return (source->fault & fault) && source->index == source->at;
}

static struct slink_word next_data(struct slidas *source)
{
	struct slink_word word = { 0 };

	word.data = slidas_word(source->run.pattern, source->run.seed,
				source->number, source->length, source->index,
				source->running++);
	if (is_here(source, SLIDAS_BAD_DATA)) {
		word.data ^= 1;
		word.flags = SLINK_DAMAGED;
	}
	return word;
}

static void send_data(struct slidas *source)
{
	struct slink_word word = next_data(source);
	bool skip = is_here(source, SLIDAS_SKIP);

	source->index++;
	if (!skip)
		send(source, word);
}

/* Return: true if this fault replaces the data word. */
static bool put_fault_in(struct slidas *source)
{
	if (is_here(source, SLIDAS_CUT)) {
		source->to.ops->cut(source->to.priv);
		return true;
	}
	if (is_here(source, SLIDAS_ODD_CONTROL) && !source->odd_sent) {
		source->odd_sent = true;
		send_control(source, SLIDAS_UNKNOWN, false);
		return true;
	}
	return false;
}

static bool has_data_left(const struct slidas *source)
{
	return source->index < source->length && !is_here(source, SLIDAS_SHORT);
}

static void leave_data(struct slidas *source)
{
	if (has_data_left(source))
		return;
	if (source->fault & SLIDAS_NO_END)
		end_event(source);
	else
		source->phase = SLIDAS_AT_END;
}

static void send_of_event(struct slidas *source)
{
	switch (source->phase) {
	case SLIDAS_AT_BEGIN:
		send_control(source, source->run.begin,
			     source->fault & SLIDAS_BAD_BEGIN);
		source->phase = SLIDAS_AT_DATA;
		break;
	case SLIDAS_AT_DATA:
		if (put_fault_in(source))
			return;
		if (has_data_left(source))
			send_data(source);
		break;
	default:
		send_control(source, source->run.end,
			     source->fault & SLIDAS_BAD_END);
		end_event(source);
		return;
	}
	leave_data(source);
}

/* --- when ----------------------------------------------------------------- */

static void send_test_word(struct slidas *source)
{
	unsigned int width = source->to.ops->width(source->to.priv);

	send(source, slink_test_word(source->test_index));
	source->test_index = (source->test_index + 1) %
			     slink_test_length(width);
	if (source->test_index)
		return;
	source->stats.complete++;
	if (source->left)
		source->left--;
}

/* Count the triggers that came while the link or the source was busy. */
static void miss_triggers(struct slidas *source)
{
	unsigned __int128 gone = *source->now - source->trigger_from;
	uint64_t first;

	if (trigger_time(source) >= *source->now)
		return;
	first = (gone * source->cfg.rate + 999999999) / 1000000000;
	source->stats.missed += first - source->trigger_index;
	source->trigger_index = first;
}

uint32_t slidas_missed(struct slidas *source)
{
	if (source->cfg.mode == SLIDAS_TRIGGER && has_budget(source))
		miss_triggers(source);
	return source->stats.missed;
}

static void break_event(struct slidas *source)
{
	source->phase = SLIDAS_IDLE;
	source->fault = 0;
	source->test_index = 0;
	source->stats.broken++;
}

/* Return: false if the source has missed all triggers that were due. */
static bool take_trigger(struct slidas *source)
{
	miss_triggers(source);
	if (trigger_time(source) > *source->now)
		return false;
	source->trigger_index++;
	return true;
}

static void send_next(struct slidas *source)
{
	if (is_idle(source)) {
		if (source->cfg.mode == SLIDAS_TRIGGER && !take_trigger(source))
			return;
		begin_event(source);
	}
	send_of_event(source);
}

void slidas_run(struct slidas *source)
{
	if (slidas_next_ns(source) > *source->now)
		return;
	if (is_broken(source))
		break_event(source);
	else if (source->phase == SLIDAS_IDLE && is_testing(source))
		send_test_word(source);
	else
		send_next(source);
}

void slidas_trigger(struct slidas *source, uint32_t n)
{
	source->wanted += n;
}

void slidas_restart(struct slidas *source)
{
	source->left = source->cfg.count;
	source->wanted = 0;
	source->trigger_from = *source->now;
	source->trigger_index = 1;
}

void slidas_init(struct slidas *source, struct slink_end to,
		 const uint64_t *now)
{
	memset(source, 0, sizeof(*source));
	source->to = to;
	source->now = now;
	source->cfg = (struct slidas_config){
		.size = 256,
		.size_max = 256,
		.step = 1,
		.rate = 25000,
		.word_ns = 30,
		.begin = SLIDAS_BEGIN,
		.end = SLIDAS_END,
		.start_line = NO_START_LINE,
		.at = UINT32_MAX,
	};
	slidas_restart(source);
}
