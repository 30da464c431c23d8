/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sigrok.h: instruments of libsigrok as ZIO devices
 *
 * libsigrok has the GPL 3. So the program uses libzio and no code of programs/common.
 */
#ifndef ZIO_SIGROK_H
#define ZIO_SIGROK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <glib.h>
#include <libsigrok/libsigrok.h>

#define PROGRAM "zio-sigrok"

/* Exit statuses, as those of the other programs */
enum { OK, FAILED, USAGE, CANNOT_OPEN };

/**
 * struct sigrok_set - channels that become a set
 * @name: of the set
 * @is_logic: all logic channels, as one channel of packed bits
 * @unit: of the analog channels
 * @digits: decimal digits behind the point; a sample is a multiple of 10^-@digits
 * @ssize: bytes of a sample
 * @n_chan: number of channels of libsigrok
 * @chans: these channels
 */
struct sigrok_set {
	char name[16];
	bool is_logic;
	enum sr_unit unit;
	int digits;
	size_t ssize;
	unsigned int n_chan;
	struct sr_channel **chans;
};

struct sigrok {
	struct sr_context *ctx;
	struct sr_dev_driver *driver;
	struct sr_dev_inst *sdi;
	uint64_t rate;		/* Hz; 0: unknown */
	unsigned int n_sets;
	struct sigrok_set *sets;
};

/**
 * struct sigrok_target - where the samples of a channel go
 * @mem: memory for @room samples; NULL: nobody wants this channel
 * @n: samples so far
 * @is_clipped: a value was too large, or no number
 * @is_rounded: a value had more digits than the set
 */
struct sigrok_target {
	void *mem;
	size_t room;
	size_t n;
	bool is_clipped;
	bool is_rounded;
};

/**
 * struct sigrok_run - a session of libsigrok that runs
 * @is_over: it shall end
 * @has_ended: the driver has ended it already
 */
struct sigrok_run {
	struct sr_session *session;
	bool is_over;
	bool has_ended;
};

/* Looks for a reason to end an acquisition early. Return: whether it goes on */
typedef bool (*sigrok_goes_on)(void *arg);

/* A signal that ends the program, or 0 */
extern volatile sig_atomic_t sigrok_signal;

void __attribute__((format(printf, 1, 2))) complain(const char *format, ...);
bool sigrok_init(struct sigrok *dev);
bool sigrok_find(struct sigrok *dev, const char *spec);
bool sigrok_open(struct sigrok *dev);
void sigrok_close(struct sigrok *dev);
bool sigrok_set_config(const struct sigrok *dev, const char *text);
bool sigrok_choose(const struct sigrok *dev, const char *names);
bool sigrok_run(struct sigrok *dev, struct sigrok_run *run, sr_datafeed_callback take,
		GSourceFunc look, void *arg);
int sigrok_list(const char *spec);
bool sigrok_limit(const struct sigrok *dev, uint64_t nsamples);
int sigrok_digits(const struct sr_analog_encoding *encoding);
float *sigrok_values(const struct sr_datafeed_analog *analog);
bool sigrok_learn(struct sigrok *dev);
unsigned int sigrok_width(const struct sigrok_set *set);
int sigrok_acquire(struct sigrok *dev, const struct sigrok_set *set,
		   struct sigrok_target *targets, size_t nsamples,
		   sigrok_goes_on goes_on, void *arg);
int sigrok_try(struct sigrok *dev);
int sigrok_serve(struct sigrok *dev, const char *name);

#endif /* ZIO_SIGROK_H */
