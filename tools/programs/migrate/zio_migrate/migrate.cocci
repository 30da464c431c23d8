// SPDX-License-Identifier: GPL-2.0-only
// The changes that follow a rule in a driver for ZIO 1.x. zio-migrate first converts the
// tables of attributes (zio_migrate/attributes.py), and then runs this file with spatch.

// --- operations on attributes -----------------------------------------------------------

@ attr_function @
identifier f, dev, zattr;
@@
f(struct device *dev, struct zio_attribute *zattr, ...) { ... }

@ in_attr_function @
symbol cset, chan;
identifier attr_function.f, attr_function.dev, attr_function.zattr;
@@
f(struct device *dev, struct zio_attribute *zattr, ...)
{
<...
(
- to_zio_cset(dev)
+ cset
|
- to_zio_chan(dev)
+ chan
)
...>
}

// A function that passes on both arguments
@ passed_on @
symbol cset, chan;
identifier attr_function.f, attr_function.dev, attr_function.zattr;
identifier g;
@@
f(struct device *dev, struct zio_attribute *zattr, ...)
{
<...
g(
- dev, zattr
+ cset, chan, zattr
  , ...)
...>
}

@ shadowing @
symbol cset, chan;
identifier attr_function.f, attr_function.dev, attr_function.zattr;
@@
f(struct device *dev, struct zio_attribute *zattr, ...)
{
<...
(
- struct zio_cset *cset = cset;
|
- struct zio_channel *chan = chan;
|
- struct zio_cset *cset;
|
- struct zio_channel *chan;
|
- cset = cset;
|
- chan = chan;
)
...>
}

@@
identifier attr_function.f, attr_function.dev, attr_function.zattr;
@@
f(
- struct device *dev, struct zio_attribute *zattr
+ struct zio_cset *cset, struct zio_channel *chan, const struct zio_attr_desc *zattr
  , ...)
{ ... }

@@
identifier ops;
expression f;
@@
struct zio_sysfs_operations ops = {
- .conf_set = f,
+ .attr_set = f,
};

@@
identifier ops;
expression f;
@@
struct zio_sysfs_operations ops = {
- .info_get = f,
+ .attr_get = f,
};

@@
@@
- struct zio_sysfs_operations
+ struct zio_cset_ops

// Remaining declarations, for example in headers
@@
@@
- struct zio_attribute
+ const struct zio_attr_desc

// --- sets and blocks --------------------------------------------------------------------

@@
expression E;
@@
- E->zdev->priv_d
+ zio_cset_priv(E)

@@
struct zio_cset *E;
@@
- E->ssize
+ zio_cset_ssize(E)

@@
expression E;
@@
(
- E->chan->active_block = NULL;
|
- E->interleave->active_block = NULL;
)

@@
expression E;
@@
(
- E->chan->active_block
+ zio_cset_block(E)
|
- E->interleave->active_block
+ zio_cset_block(E)
|
- E->ti->tstamp.tv_sec
+ zio_cset_block(E)->tstamp.secs
|
- E->ti->tstamp.tv_nsec
+ zio_cset_block(E)->tstamp.ticks
|
- E->ti->tstamp_extra
+ zio_cset_block(E)->tstamp.bins
)

@@
expression E;
@@
- E->datalen
+ E->len

@@
expression E;
@@
- zio_trigger_data_done(E)
+ zio_cset_done(E)

// --- the state, which the core keeps ----------------------------------------------------

@@
expression E, L;
@@
(
- zio_cset_busy_set(E, L);
|
- zio_cset_busy_clear(E, L);
|
- E->flags |= ZIO_CSET_HW_BUSY;
|
- E->flags &= ~ZIO_CSET_HW_BUSY;
)

// zio-migrate replaces RAW_IO by the names that it finds after ".raw_io =".
@@
identifier f = { RAW_IO };
@@
f(...)
{
<...
- return -EAGAIN;
+ return ZIO_PENDING;
...>
}

// --- loops ------------------------------------------------------------------------------

@ loop @
iterator name chan_for_each;
identifier f;
expression c, E;
statement S;
@@
f(...)
{
<+...
chan_for_each(c, E) S
...+>
}

@@
identifier loop.f;
@@
f(...)
{
++ struct zio_armed *pos;
...
}

@ has_block @
identifier loop.f;
symbol block;
@@
f(...)
{
...
struct zio_block *block;
...
}

@ depends on !has_block @
identifier loop.f;
symbol block;
@@
f(...)
{
++ struct zio_block *block;
...
}

// The loop sets the block.
@@
identifier loop.f, c;
symbol block;
@@
f(...)
{
<...
(
- block = c->active_block;
|
- if (!block) continue;
|
- if (!c->active_block) continue;
|
- c->active_block
+ block
)
...>
}

@@
iterator name chan_for_each;
iterator name zio_for_each_block;
symbol pos, block;
expression c, E;
statement S;
@@
- chan_for_each(c, E)
+ zio_for_each_block(E, pos, c, block)
  S

// --- names ------------------------------------------------------------------------------

@@
@@
- ZIO_HEX_VERSION
+ ZIO_VERSION

@@
@@
- #include <linux/zio-sysfs.h>

@@
@@
- #include <linux/zio-buffer.h>
