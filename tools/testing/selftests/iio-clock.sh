#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kernel-module: industrialio-triggered-buffer
# kernel-module: iio_dummy
# device: sspci,id=a
#
# Ten IIO devices and an S-LINK card share one clock (iio_dummy loses some memory, so this
# test does not run with kmemleak).
. "${0%/*}/lib.sh"
. "${0%/*}/lib-iio.sh"
. "${0%/*}/lib-slink.sh"

chips="0 1 2 3 4 5 6 7 8 9"
events=5
clock=/sys/kernel/config/zio/triggers/hrt/clock
dummies=/sys/kernel/config/iio/devices/dummy

make_chips()
{
	for n in $chips; do
		mkdir $dummies/chip$n && make_iio chip$n iio=chip$n nsamples=1 || return
	done
	zio-links
}

# The clock stands still until each set has it.
attach()
{
	mkdir $clock && echo 0 >$clock/enable && echo $events >$clock/shots &&
		echo 200000000 >$clock/period-ns || return
	for set in /sys/bus/zio/devices/ziio-*/cset0 $in; do
		echo clock >"$set"/current_trigger || return
	done
	bench size=10 rate=1000 mode=trigger
	echo 1 >$clock/enable
}

# times_of DEVICE: of the blocks of its first channel
times_of()
{
	zio-dump -n $events "$1"-0-0 | awk '/time/ { print $2 }'
}

# The card with a source of events: other tests of this boot have cards without one.
find_source()
{
	for device in $(cd $bus && echo slink-*); do
		card=$(card_of "$device") || return
		source=$device in=$bus/$device/cset0
		[ "$(slink-bench -c "$card" has-peer)" != 0 ] || return 0
	done
	return 1
}

if ! [ -d /sys/bus/iio ] || ! zio-load zio-iio || ! [ -d $dummies ]; then
	skip "ten devices of IIO" "this kernel has no iio_dummy"
	done_testing
	exit 0
fi
zio-load zio-trig-hrt
zio-load zio-slink
check "there is a card with a source" find_source
check "the link is up" wait_until 20 link_is 1
check "ten devices of IIO" make_chips
check "eleven sets have one clock" attach
times_of ziio-0000 >/tmp/times
is "each tick has a time" "$(sort -u /tmp/times | wc -l)" $events
for n in ${chips#0}; do
	is "device $n has the same times" "$(times_of ziio-000$n | cmp - /tmp/times && echo same)" same
done
# The card has the time of an event's first word: after the tick, and before the next one.
times_of "$source" >/tmp/events
is "each tick takes an event of the link" "$(paste /tmp/times /tmp/events |
	awk '$2 > $1 - 1e-6 && $2 < $1 + 0.2' | wc -l)" $events
is "no device has missed a tick" \
	"$(cat /sys/bus/zio/devices/ziio-*/cset0/missed | sort -u | xargs)" 0
bench mode=stop
zio-unload zio-slink
for n in $chips; do
	rmdir $dummies/chip$n
	remove_iio chip$n
done
rmdir $clock
check "the module is unloaded" zio-unload zio-iio
done_testing
