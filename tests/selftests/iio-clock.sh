#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kernel-module: industrialio-triggered-buffer
# kernel-module: iio_dummy
#
# Ten IIO devices and another board share one clock (iio_dummy loses some memory, so this
# test does not run with kmemleak).
. "${0%/*}/lib.sh"
. "${0%/*}/lib-iio.sh"

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
	for set in /sys/bus/zio/devices/ziio-*/cset0 $cset0; do
		echo clock >"$set"/current_trigger || return
	done
	echo 1 >$clock/enable
}

# times_of DEVICE: of the blocks of its first channel
times_of()
{
	zio-dump -n $events "$1"-0-0 | awk '/time/ { print $2 }'
}

if ! [ -d /sys/bus/iio ] || ! zio-load zio-iio || ! [ -d $dummies ]; then
	skip "ten devices of IIO" "this kernel has no iio_dummy"
	done_testing
	exit 0
fi
zio-load zio-trig-hrt
check "ten devices of IIO" make_chips
check "eleven sets have one clock" attach
times_of ziio-0000 >/tmp/times
is "each tick has a time" "$(sort -u /tmp/times | wc -l)" $events
for n in ${chips#0}; do
	is "device $n has the same times" "$(times_of ziio-000$n | cmp - /tmp/times && echo same)" same
done
is "the other board has them, too" "$(times_of zzero-0000 | cmp - /tmp/times && echo same)" same
is "no device has missed a tick" \
	"$(cat /sys/bus/zio/devices/ziio-*/cset0/missed | sort -u | xargs)" 0
echo user >$cset0/current_trigger
for n in $chips; do
	rmdir $dummies/chip$n
	remove_iio chip$n
done
rmdir $clock
check "the module is unloaded" zio-unload zio-iio
done_testing
