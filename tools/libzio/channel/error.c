// SPDX-License-Identifier: LGPL-2.1-or-later
/* Describe faults */
#include <errno.h>
#include <inttypes.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "channel.h"

/*
 * EAGAIN is frequent, so this records just two numbers, from which zio_reason() makes the
 * text.
 */
int zio_fail(struct zio_channel *ch, enum zio_fault fault, int code)
{
	ch->fault = fault;
	ch->fault_errno = code;
	errno = code;
	return -1;
}

int zio_fail_null(struct zio_channel *ch)
{
	if (ch)
		return zio_fail(ch, ZIO_FAULT_NULL, EINVAL);
	return zio_refuse_null();
}

#define BUDGET_HINT " (this process has reached its limit of locked memory: close files, " \
	"or raise the limit: ulimit -l, LimitMEMLOCK=)"

static const char *io_hint(int code)
{
	switch (code) {
	case EDQUOT:
		return BUDGET_HINT;
	case ENODEV:
		return " (the device is gone: unbound or unplugged)";
	case EAGAIN:
		return " (no block yet)";
	case EBUSY:
		return " (another program uses the ring of the channel)";
	case ERANGE:
		return " (the output does not accept a value of the block: see its control-attrs)";
	default:
		return "";
	}
}

static void explain_io(struct zio_channel *ch, const char *path,
		       const char *verb)
{
	snprintf(ch->error.text, sizeof(ch->error.text), "%s: %s: %s%s", path,
		 verb, strerror(ch->fault_errno), io_hint(ch->fault_errno));
}

static void explain_control_io(struct zio_channel *ch, const char *verb)
{
	explain_io(ch, ch->ctrl_path, verb);
}

static void explain_data_io(struct zio_channel *ch, const char *verb)
{
	explain_io(ch, ch->data_path, verb);
}

static const char *share_hint(int code)
{
	switch (code) {
	case ENOTTY:
		return " (this kernel module cannot share)";
	case ENOTCONN:
		return " (zio_share() has not linked them, or the input was closed)";
	case EISCONN:
		return " (it is linked to another input)";
	case EBUSY:
		return " (a ring or a route uses one of them)";
	case ENOENT:
	case ESTALE:
		return " (the input never had this block, or no longer has it)";
	default:
		return io_hint(code);
	}
}

const char *zio_share_reason(int why)
{
	switch (why) {
	case EDOM:
		return "the output cannot play samples from this alignment";
	case EOVERFLOW:
		return "the output cannot reach memory at so high an address";
	default:
		return strerror(why);
	}
}

static void explain_share(struct zio_channel *ch, const char *verb)
{
	snprintf(ch->error.text, sizeof(ch->error.text), "%s: %s: %s%s",
		 ch->ctrl_path, verb, strerror(ch->fault_errno),
		 share_hint(ch->fault_errno));
}

static void explain_version(struct zio_channel *ch, const char *what)
{
	snprintf(ch->error.text, sizeof(ch->error.text),
		 "%s: %s %u.%u; this library reads version %u.x", ch->ctrl_path, what,
		 ch->control.major_version, ch->control.minor_version,
		 ZIO_MAJOR_VERSION);
}

static void explain_size(struct zio_channel *ch, const char *what)
{
	snprintf(ch->error.text, sizeof(ch->error.text),
		 "%s: block %u: %u samples of %u bytes: %s", ch->ctrl_path,
		 ch->control.seq_num, ch->control.nsamples, ch->control.ssize,
		 what);
}

static void explain_limit(struct zio_channel *ch, const char *what)
{
	char limit[64];

	snprintf(limit, sizeof(limit), "%s %zu bytes", what, ch->max_block);
	explain_size(ch, limit);
}

/* A truncated file is still useful: tell how many whole blocks came before. */
static void explain_short(struct zio_channel *ch, const char *path,
			  const char *what, size_t whole, uint64_t before)
{
	char good[64] = "";

	if (ch->ops->is_file)
		snprintf(good, sizeof(good), " (whole blocks before it: %" PRIu64 ")", before);
	snprintf(ch->error.text, sizeof(ch->error.text),
		 "%s: end of file after %zu of the %zu bytes of %s%s", path,
		 ch->done, whole, what, good);
}

static void explain_short_control(struct zio_channel *ch, const char *what)
{
	explain_short(ch, ch->ctrl_path, what, sizeof(ch->control), ch->stats.blocks);
}

/* The statistics count a block with its control. */
static void explain_short_data(struct zio_channel *ch, const char *what)
{
	explain_short(ch, ch->data_path, what, ch->size, ch->stats.blocks - 1);
}

static void explain_byte(struct zio_channel *ch, const char *what)
{
	snprintf(ch->error.text, sizeof(ch->error.text), "%s: %s %" PRIu64,
		 ch->ctrl_path, what, ch->file.at_byte);
}

static void explain_plain(struct zio_channel *ch, const char *what)
{
	snprintf(ch->error.text, sizeof(ch->error.text), "%s: %s",
		 ch->data_path ? ch->data_path : ch->ctrl_path, what);
}

static void explain_direction(struct zio_channel *ch, const char *what)
{
	char direction[64];

	snprintf(direction, sizeof(direction), "%s %s", what,
		 ch->output ? "output, not input" : "input, not output");
	explain_plain(ch, direction);
}

static const struct {
	void (*explain)(struct zio_channel *ch, const char *what);
	const char *what;
} faults[] = {
	[ZIO_FAULT_NONE] = { explain_plain, "no error" },
	[ZIO_FAULT_END] = { explain_plain, "end of file: there are no more blocks" },
	[ZIO_FAULT_NULL] = { explain_plain,
			     "a required pointer is NULL" },
	[ZIO_FAULT_FLAGS] = { explain_plain,
			      "unknown flags for this library" },
	[ZIO_FAULT_INTERRUPT] = { explain_plain,
				  "zio_interrupt() ended the wait" },
	[ZIO_FAULT_WAIT] = { explain_control_io, "wait for a block" },
	[ZIO_FAULT_DRIVER] = { explain_plain, "the driver reports an error" },
	[ZIO_FAULT_RING] = { explain_plain,
			     "the header of the ring is inconsistent" },
	[ZIO_FAULT_OFFSET] = { explain_size, "its data are outside the mapping" },
	[ZIO_FAULT_READ_CONTROL] = { explain_control_io, "read control" },
	[ZIO_FAULT_READ_DATA] = { explain_data_io, "read data" },
	[ZIO_FAULT_WRITE_CONTROL] = { explain_control_io, "write control" },
	[ZIO_FAULT_WRITE_DATA] = { explain_data_io, "write data" },
	[ZIO_FAULT_SHORT_CONTROL] = { explain_short_control, "a control" },
	[ZIO_FAULT_SHORT_DATA] = { explain_short_data, "a block" },
	[ZIO_FAULT_VERSION] = { explain_version, "control of version" },
	[ZIO_FAULT_ENDIAN] = { explain_plain,
			       "control of the other endianness" },
	[ZIO_FAULT_SSIZE] = { explain_size, "the size of a sample is 0" },
	[ZIO_FAULT_SIZE] = { explain_size, "its size cannot be counted" },
	[ZIO_FAULT_LIMIT] = { explain_limit, "over the limit of" },
	[ZIO_FAULT_MEMORY] = { explain_size, "out of memory for this block" },
	[ZIO_FAULT_CALLER_SIZE] = { explain_size, "larger than the memory of the caller" },
	[ZIO_FAULT_MEM_CHANGED] = { explain_plain,
				    "the block is half read: pass the same memory again" },
	[ZIO_FAULT_DIRECTION] = { explain_direction, "open for" },
	[ZIO_FAULT_NO_DATA_NODE] = { explain_plain, "open for controls only" },
	[ZIO_FAULT_NO_CONTROL] = { explain_plain,
				   "no control has been read: call zio_next_control() first" },
	[ZIO_FAULT_LENGTH] = { explain_plain,
			       "control and data differ in length" },
	[ZIO_FAULT_NO_BLOCK] = { explain_byte, "no block begins at byte" },
	[ZIO_FAULT_FILE_CONTROL] = { explain_plain,
				     "a block file needs a control for each block" },
	[ZIO_FAULT_SHARE] = { explain_share, "share" },
	[ZIO_FAULT_SUBMIT] = { explain_share, "submit a block" },
	[ZIO_FAULT_NOT_SHARED] = { explain_plain,
				   "block files, rings and taps cannot be shared" },
	[ZIO_FAULT_FLUSH] = { explain_control_io, "flush" },
	[ZIO_FAULT_FLUSH_FILE] = { explain_plain,
				   "a block file cannot be flushed: read on, or seek" },
	[ZIO_FAULT_KEEP] = { explain_plain,
			     "only valid blocks of a ring can be kept" },
};

const char *zio_reason(struct zio_channel *ch)
{
	int saved = errno;

	if (!ch)
		return "the channel is NULL: zio_open() gives the reason in its last argument";
	faults[ch->fault].explain(ch, faults[ch->fault].what);
	errno = saved;
	return ch->error.text;
}

static void set_code(struct zio_error *err, int code)
{
	if (err)
		err->code = code;
	errno = code;
}

/*
 * Returns true if the mode allows the access but the channel refuses it, and also if the
 * mode allows all users only the other direction.
 */
static bool is_other_direction(const char *path, mode_t mode, bool output)
{
	const mode_t wanted = output ? 0222 : 0444;
	const mode_t other = output ? 0444 : 0222;

	if (!access(path, output ? W_OK : R_OK))
		return true;
	return !(mode & wanted) && (mode & other);
}

static void explain_access(struct zio_error *err, const char *path,
			   bool output)
{
	struct stat st;

	if (stat(path, &st)) {
		snprintf(err->text, sizeof(err->text),
			 "%s: open: %s (is its directory searchable for you?)", path,
			 strerror(EACCES));
		return;
	}
	if (is_other_direction(path, st.st_mode, output)) {
		snprintf(err->text, sizeof(err->text),
			 "%s: open for %s: %s (mode %04o: this is an %s channel)",
			 path, output ? "writing" : "reading",
			 strerror(EACCES), st.st_mode & 07777,
			 output ? "input" : "output");
		return;
	}
	snprintf(err->text, sizeof(err->text),
		 "%s: open for %s: %s (mode %04o, owner %u, group %u; you are user %u: join the group?)",
		 path, output ? "writing" : "reading", strerror(EACCES),
		 st.st_mode & 07777, st.st_uid, st.st_gid, geteuid());
}

/* Is the directory of @path missing? */
static bool lacks_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir;
	bool missing;

	if (!slash || slash == path)
		return false;
	dir = strndup(path, (size_t)(slash - path));
	missing = dir && access(dir, F_OK);
	free(dir);
	return missing;
}

static const char *missing_hint(const char *path)
{
	if (!strncmp(path, "/dev/", 5))
		return " (is the driver's module loaded?)";
	return lacks_directory(path) ? " (its directory does not exist)" : "";
}

static const char *open_hint(int code, const char *path)
{
	switch (code) {
	case ENOENT:
		return missing_hint(path);
	case ENODEV:
	case ENXIO:
		return " (the device is gone: unbound or unplugged)";
	case EBUSY:
		return " (another program has it open)";
	case EDQUOT:
		return BUDGET_HINT;
	case EPERM:
	case EINVAL:
		return " (is this an input or an output channel?)";
	default:
		return "";
	}
}

void zio_explain_open(struct zio_error *err, int code, const char *path,
		      bool output)
{
	if (err && code == EACCES)
		explain_access(err, path, output);
	else if (err)
		snprintf(err->text, sizeof(err->text), "%s: open for %s: %s%s",
			 path, output ? "writing" : "reading", strerror(code),
			 open_hint(code, path));
	set_code(err, code);
}

static const char *method_hint(int code, const char *path)
{
	switch (code) {
	case EOPNOTSUPP:
		return " (its buffer cannot be mapped; buffers of type vmalloc can)";
	case EBUSY:
		return " (another program uses the ring)";
	case EDQUOT:
		return BUDGET_HINT;
	case EACCES:
		return " (permission to read and to write is needed)";
	case EINVAL:
		return " (the channel does not offer it)";
	case ENOTTY:
		return " (the kernel module has no taps: load a newer one)";
	default:
		return open_hint(code, path);
	}
}

void zio_explain_method(struct zio_error *err, int code, const char *path,
			const char *method)
{
	if (err)
		snprintf(err->text, sizeof(err->text), "%s: method %s: %s%s",
			 path, method, strerror(code), method_hint(code, path));
	set_code(err, code);
}

void zio_explain_tail(struct zio_error *err, const char *path, uint64_t whole,
		      uint64_t all)
{
	if (err)
		snprintf(err->text, sizeof(err->text),
			 "%s: open to append: of %" PRIu64
			 " bytes, only the first %" PRIu64
			 " are whole blocks (remove the rest: `truncate -s %"
			 PRIu64 "`)", path, all, whole, whole);
	set_code(err, EPROTO);
}

#define NAMES_SIZE 300

/* Put the addresses of all channels, as far as there is room. */
static void put_channels(char names[NAMES_SIZE])
{
	struct zio_object **list = zio_list(NULL, ZIO_OBJECT_CHANNEL, NULL);
	char address[64];
	size_t used = 0;
	int i;

	names[0] = '\0';
	for (i = 0; list && list[i]; i++) {
		if (zio_attr_get(list[i], "address", address, sizeof(address), NULL))
			continue;
		if (used + strlen(address) + sizeof(" ...") > NAMES_SIZE) {
			strcpy(names + used, " ...");
			break;
		}
		used += (size_t)sprintf(names + used, "%s%s", used ? " " : "", address);
	}
	zio_list_free(list);
}

static void explain_missing_name(struct zio_error *err, const char *name,
				 const char *dirs)
{
	char names[NAMES_SIZE];

	put_channels(names);
	if (*names)
		snprintf(err->text, sizeof(err->text),
			 "%s: no such channel in %s; there are: %s", name, dirs, names);
	else
		snprintf(err->text, sizeof(err->text),
			 "%s: no such channel in %s: there is no device (is the driver's module loaded?)",
			 name, dirs);
}

/* Suggest loading the module only if there is no channel at all. */
static void explain_missing_path(struct zio_error *err, const char *path)
{
	char names[NAMES_SIZE] = "";

	if (!strncmp(path, "/dev/", 5))
		put_channels(names);
	if (*names)
		snprintf(err->text, sizeof(err->text),
			 "%s: no such channel or file; there are: %s", path, names);
	else
		snprintf(err->text, sizeof(err->text), "%s: no such channel or file%s",
			 path, missing_hint(path));
}

void zio_explain_missing(struct zio_error *err, const char *name,
			 const char *dirs)
{
	if (err && dirs)
		explain_missing_name(err, name, dirs);
	else if (err)
		explain_missing_path(err, name);
	set_code(err, ENOENT);
}
