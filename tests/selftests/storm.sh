#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kasan
# rt
# delays
#
# A hundred sets share one clock of 10 kHz; four of them are streams instead. Buffers,
# triggers, enables and clocks change at random meanwhile, and boards are unplugged.
# ZIO_STORM_SECONDS sets the time, ZIO_SEED names a seed.
. "${0%/*}/lib.sh"

config=/sys/kernel/config/zio
seconds=${ZIO_STORM_SECONDS:-15}
seed=${ZIO_SEED:-1}
devices=20 csets=5 channels=2
first_stream=16 # set 0 of this device, and of those behind it, is a stream

# A stream has no clock.
use_clock()
{
	if [ $1 -ge $first_stream ] && [ $2 = cset0 ]; then
		return 0
	fi
	echo clock0 >/sys/bus/zio/devices/$(cat $device/name)/$2/current_trigger
}

set_up()
{
	for module in zio-buf-vmalloc zio-trig-hrt zio-trig-timer \
		zio-trig-sysfs zio-trig-chain; do
		zio-load $module || return
	done
	mkdir $config/triggers/hrt/clock0 $config/triggers/timer/clock1 || return
	# It would take all processors while the sets are made.
	echo 0 >$config/triggers/hrt/clock0/enable
	echo 100000 >$config/triggers/hrt/clock0/period-ns
	echo 3 >$config/triggers/timer/clock1/period-ms
	i=0
	while [ $i -lt $devices ]; do
		device=$config/devices/zzero/s$i
		mkdir $device || return
		echo $((100 + i)) >$device/id
		echo $csets >$device/csets
		echo $channels >$device/channels
		echo channel >$device/pattern
		if [ $i -ge $first_stream ]; then
			echo 4 >$device/stream
		fi
		echo 1 >$device/live || return
		for cset in $(cd /sys/bus/zio/devices/$(cat $device/name) &&
			echo cset*); do
			use_clock $i $cset || return
		done
		i=$((i + 1))
	done
	echo 1 >$config/triggers/hrt/clock0/enable
}

check "a hundred sets are set up" set_up
is "all other sets are on one clock" "$(wc -l <$config/triggers/hrt/clock0/csets)" \
	$((devices * csets - (devices - first_stream)))
check "storm of $seconds s, seed $seed" fuzz --scenario storm \
	--seconds $seconds --seed $seed
diag "$said; $(cat $config/triggers/hrt/clock0/fired) events, $(cat \
	$config/triggers/hrt/clock0/missed) missed"
check "all boards are removed" rmdir $config/devices/zzero/s*
check "the clocks are removed" rmdir $config/triggers/hrt/clock0 \
	$config/triggers/timer/clock1
rmdir $config/triggers/hrt/brief 2>/dev/null
done_testing
