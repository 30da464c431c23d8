// SPDX-License-Identifier: GPL-2.0-only
/*
 * xdma.c: a model of AMD's XDMA: the DMA engines and the interrupts
 *
 * See xdma.h.
 */
#include <string.h>

#include "xdma.h"

static bool is_gone(const struct xdma *card)
{
	return card->inject & XDMA_INJECT_GONE;
}

/* Return: whether a fault was ordered. It happens once, or until it is cleared. */
static bool take_fault(struct xdma *card, uint32_t which)
{
	bool wanted = card->inject & which;

	if (!(card->inject & XDMA_INJECT_ALL))
		card->inject &= ~which;
	return wanted;
}

/* --- interrupts ------------------------------------------------------------- */

static unsigned int vector_of(const struct xdma *card, unsigned int reg, unsigned int line)
{
	return card->vector[reg + line / 4] >> 8 * (line % 4) & 0x1f;
}

static void send(struct xdma *card, unsigned int vector)
{
	if (!is_gone(card))
		card->ops->send_msi(card->host, vector);
}

static uint32_t line_of(const struct xdma *card, const struct xdma_engine *engine)
{
	return 1u << (engine->index + (engine->is_c2h ? card->n_engines : 0));
}

static uint32_t request_of(const struct xdma *card, const struct xdma_engine *engine)
{
	return engine->status & engine->int_mask ? line_of(card, engine) : 0;
}

static uint32_t requests(const struct xdma *card)
{
	uint32_t lines = 0;
	unsigned int i;

	for (i = 0; i < card->n_engines; i++)
		lines |= request_of(card, &card->h2c[i]) |
			 request_of(card, &card->c2h[i]);
	return lines;
}

/* A message goes out when a line rises. */
void xdma_update_irq(struct xdma *card)
{
	uint32_t line = requests(card) & card->chan_enable;
	uint32_t rising = line & ~card->chan_line;
	unsigned int i;

	card->chan_line = line;
	for (i = 0; i < 2 * card->n_engines; i++) {
		if (!(rising & 1u << i))
			continue;
		card->messages++;
		send(card, vector_of(card, 4, i));
	}
}

static void send_user(struct xdma *card)
{
	uint32_t ready = card->user_request & card->user_enable;
	unsigned int i;

	card->user_request &= ~ready;
	for (i = 0; i < XDMA_USER_IRQS; i++)
		if (ready & 1u << i)
			send(card, vector_of(card, 0, i));
}

void xdma_fire(struct xdma *card, uint32_t lines)
{
	card->user_request |= lines & ((1u << XDMA_USER_IRQS) - 1);
	send_user(card);
}

/* --- a transfer ------------------------------------------------------------- */

static uint32_t get_le32(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t get_le64(const uint8_t *p)
{
	return get_le32(p) | (uint64_t)get_le32(p + 4) << 32;
}

static void put_le32(uint8_t *p, uint32_t value)
{
	int i;

	for (i = 0; i < 4; i++, value >>= 8)
		p[i] = value;
}

static void stop(struct xdma *card, struct xdma_engine *engine, uint32_t why)
{
	engine->control &= ~XDMA_RUN;
	engine->credits = 0;
	engine->status |= why;
	engine->is_warm = false;
	xdma_update_irq(card);
}

/* Return: false if the engine has stopped for an error. */
static bool fetch(struct xdma *card, struct xdma_engine *engine)
{
	uint8_t raw[32];

	if (take_fault(card, XDMA_INJECT_FETCH) ||
	    !card->ops->dma_read(card->host, engine->next_desc, raw, sizeof(raw))) {
		stop(card, engine, XDMA_DESC_ERROR);
		return false;
	}
	engine->desc = (struct xdma_desc){
		get_le32(raw), get_le32(raw + 4), get_le64(raw + 8),
		get_le64(raw + 16), get_le64(raw + 24)
	};
	if (engine->desc.control >> 16 == XDMA_MAGIC && engine->desc.bytes)
		return true;
	card->faults++;
	stop(card, engine, XDMA_MAGIC_STOPPED);
	return false;
}

static struct xdma_user *user_of(struct xdma *card, const struct xdma_engine *engine)
{
	return &card->user[engine->index];
}

static bool has_descriptor(const struct xdma *card, const struct xdma_engine *engine)
{
	uint32_t mode = 1u << (engine->index + (engine->is_c2h ? 16 : 0));

	return !(card->credit_mode & mode) || engine->credits;
}

/* Words that the engine moves by its present descriptor. */
static uint32_t words_of(struct xdma *card, const struct xdma_engine *engine)
{
	const struct xdma_fifo *fifo = &user_of(card, engine)->fifo;
	uint32_t words = engine->desc.bytes / 4;

	if (!engine->is_c2h)
		return words;
	return words < fifo->length[fifo->first_packet] ? words :
	       fifo->length[fifo->first_packet];
}

static bool has_data(struct xdma *card, const struct xdma_engine *engine)
{
	return !engine->is_c2h || user_of(card, engine)->fifo.n_packets;
}

/* C2H has a packet, and no descriptor. */
static void begin_starving(struct xdma *card, struct xdma_user *user)
{
	if (user->is_starved)
		return;
	user->is_starved = true;
	user->starved_at = card->now;
	user->starved++;
}

static void end_starving(struct xdma *card, struct xdma_user *user)
{
	if (user->is_starved)
		user->starved_ns += card->now - user->starved_at;
	user->is_starved = false;
}

static void begin(struct xdma *card, struct xdma_engine *engine)
{
	uint64_t ns;

	/* No descriptor is fetched ahead for which there is no credit. */
	if (!has_descriptor(card, engine))
		engine->is_warm = false;
	ns = engine->is_warm ? 0 : card->costs.fetch_ns;
	if (!has_data(card, engine))
		return;
	if (!has_descriptor(card, engine)) {
		if (engine->is_c2h)
			begin_starving(card, user_of(card, engine));
		return;
	}
	if (!fetch(card, engine))
		return;
	if (engine->is_c2h)
		end_starving(card, user_of(card, engine));
	ns += (uint64_t)words_of(card, engine) * 4 * card->costs.kib_ns / 1024;
	engine->is_warm = true;
	engine->done_at = card->now + ns + card->costs.write_ns;
}

/* Move words of the first packet to memory. Return: whether the packet ended. */
static bool take_words(struct xdma_fifo *fifo, uint8_t *to, uint32_t words)
{
	uint32_t *left = &fifo->length[fifo->first_packet], i;

	for (i = 0; i < words; i++) {
		put_le32(to + 4 * i, fifo->word[fifo->first_word]);
		fifo->first_word = (fifo->first_word + 1) % XDMA_FIFO_WORDS;
	}
	fifo->n_words -= words;
	*left -= words;
	if (*left)
		return false;
	fifo->first_packet = (fifo->first_packet + 1) % XDMA_FIFO_PACKETS;
	fifo->n_packets--;
	return true;
}

static bool write_back(struct xdma *card, const struct xdma_engine *engine,
		       uint32_t words, bool ended)
{
	uint8_t raw[8];

	put_le32(raw, XDMA_WRITEBACK_MAGIC << 16 | ended);
	put_le32(raw + 4, 4 * words);
	return card->ops->dma_write(card->host, engine->desc.from, raw, sizeof(raw));
}

/* Return: false if memory did not answer. */
static bool finish_c2h(struct xdma *card, struct xdma_engine *engine)
{
	static uint8_t bytes[4 * XDMA_FIFO_WORDS];
	uint32_t words = words_of(card, engine);
	bool ended = take_words(&user_of(card, engine)->fifo, bytes, words);

	if (take_fault(card, XDMA_INJECT_WRITE))
		return false;
	if (!card->ops->dma_write(card->host, engine->desc.to, bytes, 4 * words))
		return false;
	return !engine->desc.from || write_back(card, engine, words, ended);
}

static void sink_word(struct xdma_user *user, uint32_t word)
{
	if (!(user->control & XDMA_LOOP) || !xdma_fifo_put(&user->fifo, word))
		user->sunk++;
}

static bool finish_h2c(struct xdma *card, struct xdma_engine *engine)
{
	struct xdma_user *user = user_of(card, engine);
	uint64_t from = engine->desc.from;
	uint32_t left = engine->desc.bytes, i, n;
	uint8_t bytes[256];

	if (take_fault(card, XDMA_INJECT_READ))
		return false;
	for (; left; left -= n, from += n) {
		n = left < sizeof(bytes) ? left : sizeof(bytes);
		if (!card->ops->dma_read(card->host, from, bytes, n))
			return false;
		for (i = 0; i < n; i += 4)
			sink_word(user, get_le32(bytes + i));
	}
	if ((engine->desc.control & XDMA_DESC_EOP) && user->fifo.open_words)
		xdma_fifo_end(&user->fifo);
	return true;
}

static void retire(struct xdma *card, struct xdma_engine *engine)
{
	uint32_t control = engine->desc.control;

	engine->completed++;
	if (engine->credits)
		engine->credits--;
	engine->next_desc = engine->desc.next;
	if (control & XDMA_DESC_DONE)
		engine->status |= XDMA_DONE;
	if (control & XDMA_DESC_STOP)
		stop(card, engine, XDMA_STOPPED);
	xdma_update_irq(card);
}

static void finish(struct xdma *card, struct xdma_engine *engine)
{
	engine->done_at = XDMA_NEVER;
	if (engine->is_c2h ? finish_c2h(card, engine) : finish_h2c(card, engine))
		retire(card, engine);
	else
		stop(card, engine, engine->is_c2h ? XDMA_WRITE_ERROR : XDMA_READ_ERROR);
}

static void run_engine(struct xdma *card, struct xdma_engine *engine)
{
	if (engine->done_at <= card->now)
		finish(card, engine);
	if (engine->done_at == XDMA_NEVER && (engine->control & XDMA_RUN))
		begin(card, engine);
}

/* --- time ------------------------------------------------------------------- */

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t xdma_next_ns(const struct xdma *card)
{
	uint64_t next = card->lose_at;
	unsigned int i;

	for (i = 0; i < card->n_engines; i++) {
		next = earlier(next, card->user[i].next_at);
		next = earlier(next, card->h2c[i].done_at);
		next = earlier(next, card->c2h[i].done_at);
	}
	return next;
}

static void step(struct xdma *card)
{
	unsigned int i;

	if (card->lose_at <= card->now)
		xdma_reset_engines(card);
	xdma_user_run(card);
	for (i = 0; i < card->n_engines; i++) {
		run_engine(card, &card->h2c[i]);
		run_engine(card, &card->c2h[i]);
	}
}

void xdma_advance(struct xdma *card, uint64_t now)
{
	uint64_t next;

	step(card);
	while ((next = xdma_next_ns(card)) <= now) {
		if (next > card->now)
			card->now = next;
		step(card);
	}
	if (now > card->now)
		card->now = now;
}

/* --- registers -------------------------------------------------------------- */

/* An engine that takes descriptors without credits has none. */
static void clear_credits(struct xdma *card)
{
	unsigned int i;

	for (i = 0; i < card->n_engines; i++) {
		if (!(card->credit_mode & 1u << i))
			card->h2c[i].credits = 0;
		if (!(card->credit_mode & 1u << (i + 16)))
			card->c2h[i].credits = 0;
	}
}

/* A register, one that sets bits of it, one that clears them. Return: handled. */
static bool write_bits(uint32_t *reg, uint32_t base, uint32_t offset, uint32_t value)
{
	if (offset == base)
		*reg = value;
	else if (offset == base + 4)
		*reg |= value;
	else if (offset == base + 8)
		*reg &= ~value;
	else
		return false;
	return true;
}

static uint32_t status_of(const struct xdma_engine *engine)
{
	bool busy = (engine->control & XDMA_RUN) || engine->done_at != XDMA_NEVER;

	return engine->status | busy;
}

static uint32_t read_engine(struct xdma *card, struct xdma_engine *engine, uint32_t offset)
{
	uint32_t value;

	switch (offset) {
	case XDMA_ID:
		return 0x1fc00006 | (uint32_t)engine->is_c2h << 16 | !card->is_memory << 15 |
		       engine->index << 8;
	case XDMA_CONTROL:
		return engine->control;
	case XDMA_STATUS:
		return status_of(engine);
	case XDMA_STATUS_CLEAR:
		value = status_of(engine);
		engine->status = 0;
		xdma_update_irq(card);
		return value;
	case XDMA_COMPLETED:
		return engine->completed;
	case XDMA_ALIGNMENTS:
		return 0x00040420;
	case XDMA_INT_MASK:
		return engine->int_mask;
	}
	return 0;
}

static void write_engine(struct xdma *card, struct xdma_engine *engine, uint32_t offset,
			 uint32_t value)
{
	bool was_on = engine->control & XDMA_RUN;

	write_bits(&engine->int_mask, XDMA_INT_MASK, offset, value);
	if (!write_bits(&engine->control, XDMA_CONTROL, offset, value))
		return;
	if (!was_on && (engine->control & XDMA_RUN)) {
		card->faults += engine->done_at != XDMA_NEVER || card->is_memory;
		engine->completed = 0;
		engine->is_warm = false;
	}
	if (was_on && !(engine->control & XDMA_RUN)) {
		engine->status |= XDMA_STOPPED;
		engine->credits = 0;
	}
}

static void write_descriptors(struct xdma *card, struct xdma_engine *engine,
			      uint32_t offset, uint32_t value)
{
	uint64_t high = 0xffffffff00000000;

	if (offset != XDMA_SG_CREDITS && (engine->control & XDMA_RUN))
		card->faults++;
	if (offset == XDMA_SG_LOW)
		engine->next_desc = (engine->next_desc & high) | value;
	else if (offset == XDMA_SG_HIGH)
		engine->next_desc = (engine->next_desc & ~high) | (uint64_t)value << 32;
	else if (offset == XDMA_SG_CREDITS)
		engine->credits += value & XDMA_MAX_CREDITS;
	if (offset == XDMA_SG_LOW)
		card->faults += value % 32 != 0;
	card->faults += engine->credits > XDMA_MAX_CREDITS;
}

static uint32_t read_irq(const struct xdma *card, uint32_t offset)
{
	switch (offset) {
	case XDMA_ID:
		return 0x1fc28006;
	case XDMA_USER_INT:
		return card->user_enable;
	case XDMA_CHAN_INT:
		return card->chan_enable;
	case XDMA_USER_REQUEST:
		return card->user_request;
	case XDMA_CHAN_REQUEST:
		return requests(card);
	case XDMA_USER_PENDING:
		return card->user_request & card->user_enable;
	case XDMA_CHAN_PENDING:
		return requests(card) & card->chan_enable;
	}
	if (offset >= XDMA_USER_VECTOR && offset < XDMA_USER_VECTOR + 16)
		return card->vector[(offset - XDMA_USER_VECTOR) / 4];
	if (offset >= XDMA_CHAN_VECTOR && offset < XDMA_CHAN_VECTOR + 8)
		return card->vector[4 + (offset - XDMA_CHAN_VECTOR) / 4];
	return 0;
}

static void write_irq(struct xdma *card, uint32_t offset, uint32_t value)
{
	write_bits(&card->user_enable, XDMA_USER_INT, offset, value);
	write_bits(&card->chan_enable, XDMA_CHAN_INT, offset, value);
	if (offset >= XDMA_USER_VECTOR && offset < XDMA_USER_VECTOR + 16)
		card->vector[(offset - XDMA_USER_VECTOR) / 4] = value;
	if (offset >= XDMA_CHAN_VECTOR && offset < XDMA_CHAN_VECTOR + 8)
		card->vector[4 + (offset - XDMA_CHAN_VECTOR) / 4] = value;
	send_user(card);
}

/* The places of engines that are not there read as zero. */
static struct xdma_engine *engine_at(struct xdma *card, uint32_t offset)
{
	unsigned int index = (offset & 0xfff) / XDMA_STRIDE;

	if (index >= card->n_engines)
		return NULL;
	switch (offset & ~0xfffu) {
	case XDMA_H2C:
	case XDMA_H2C_SG:
		return &card->h2c[index];
	case XDMA_C2H:
	case XDMA_C2H_SG:
		return &card->c2h[index];
	}
	return NULL;
}

uint32_t xdma_read(struct xdma *card, uint32_t offset)
{
	struct xdma_engine *engine = engine_at(card, offset);
	uint32_t value = 0;

	if (is_gone(card))
		return UINT32_MAX;
	card->reads++;
	if (engine && offset < XDMA_IRQ)
		value = read_engine(card, engine, offset & 0xff);
	else if ((offset & ~0xffu) == XDMA_IRQ)
		value = read_irq(card, offset & 0xff);
	else if (offset == XDMA_SG_COMMON + XDMA_CREDIT_MODE)
		value = card->credit_mode;
	return value;
}

void xdma_write(struct xdma *card, uint32_t offset, uint32_t value)
{
	struct xdma_engine *engine = engine_at(card, offset);
	uint32_t reg = offset & 0xff;

	if (is_gone(card))
		return;
	card->writes++;
	if (engine && offset < XDMA_IRQ)
		write_engine(card, engine, reg, value);
	else if (engine)
		write_descriptors(card, engine, reg, value);
	else if ((offset & ~0xffu) == XDMA_IRQ)
		write_irq(card, reg, value);
	else if ((offset & ~0xffu) == XDMA_SG_COMMON)
		write_bits(&card->credit_mode, XDMA_CREDIT_MODE, reg, value);
	clear_credits(card);
	xdma_update_irq(card);
	xdma_advance(card, card->now);
}

/* --- life ------------------------------------------------------------------- */

static void reset_engine(struct xdma_engine *engine, unsigned int index, bool is_c2h)
{
	*engine = (struct xdma_engine){
		.index = index, .is_c2h = is_c2h, .done_at = XDMA_NEVER
	};
}

/* The user's logic goes on. A packet of which words were taken is lost. */
void xdma_reset_engines(struct xdma *card)
{
	unsigned int i;

	for (i = 0; i < card->n_engines; i++) {
		reset_engine(&card->h2c[i], i, false);
		reset_engine(&card->c2h[i], i, true);
	}
	card->credit_mode = 0;
	card->user_enable = 0;
	card->user_request = 0;
	card->chan_enable = 0;
	card->chan_line = 0;
	memset(card->vector, 0, sizeof(card->vector));
	card->lose_at = XDMA_NEVER;
}

void xdma_reset(struct xdma *card)
{
	xdma_reset_engines(card);
	xdma_user_reset(card);
}

void xdma_init(struct xdma *card, unsigned int n_engines, const struct xdma_ops *ops,
	       void *host)
{
	memset(card, 0, sizeof(*card));
	card->n_engines = n_engines;
	card->ops = ops;
	card->host = host;
	xdma_reset(card);
}
