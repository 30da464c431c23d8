#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# not kasan: it compares values; triggers.sh and storm.sh take the same ways
#
# Triggers by time: phase, missed ticks. Sources of a chain that change, or are removed.
. "${0%/*}/lib.sh"

config=/sys/kernel/config/zio
clock=$config/triggers/hrt/clock
cset2=$zzero/cset2
own=$cset0/trigger
node=/dev/zio/zzero-0000

# reached FILE NUMBER
reached()
{
	[ "$(cat "$1")" -ge "$2" ]
}

statistic()
{
	cat "$1/statistics/$2"
}

# uptime_ms MORE: milliseconds since boot, and so many more
uptime_ms()
{
	awk -v more="$1" '{ printf "%d\n", $1 * 1000 + more }' /proc/uptime
}

# ticks_at_phase PERIOD_MS UNIT: ticks are hours apart, and the phase brings one near. If
# the write comes too late for it, try a phase that is twice as far.
ticks_at_phase()
{
	fired=$(statistic $cset0 fired)
	for ahead in 1 2 4 8 16; do
		echo "$(uptime_ms ${ahead}000)$3" >$own/phase-"$2"
		! wait_until $((2 * ahead)) reached $cset0/statistics/fired $((fired + 1)) ||
			return 0
	done
	return 1
}

test_phase()
{
	echo 0 >$own/enable
	write_file $cset0/current_trigger timer >/dev/null
	echo 86400000 >$own/period-ms
	echo 1 >$own/enable
	check "the phase of a timer" ticks_at_phase 86400000 ms ''
	echo 0 >$own/enable
	write_file $cset0/current_trigger hrt >/dev/null
	echo monotonic >$own/clock
	echo 86400000000000 >$own/period-ns
	echo 1 >$own/enable
	check "the phase of a high-resolution timer" \
		ticks_at_phase 86400000 ns 000000
	write_file $cset0/current_trigger user >/dev/null
}

# A tick each microsecond takes more than the half of the time that ticks may have.
test_missed()
{
	mkdir $clock
	echo 0 >$clock/enable
	echo 1000 >$clock/period-ns
	echo 0 >$cset2/trigger/enable
	write_file $cset0/current_trigger clock >/dev/null
	write_file $cset2/current_trigger clock >/dev/null
	echo 1 >$clock/enable
	check "an overloaded clock misses ticks" wait_until 20 reached $clock/missed 1
	echo 0 >$clock/enable
	is "the set counts each missed tick" "$(statistic $cset0 lost_triggers)" \
		"$(cat $clock/missed)"
	is "its channels have the alarm" $(($(cat $cset0/chan2/alarms) & 2)) 2
	is "the trigger counts what it fired" "$(cat $clock/fired)" \
		"$(statistic $cset0 fired)"
	is "a disabled set counts none" "$(statistic $cset2 lost_triggers)" 0
	write_file $cset0/current_trigger user >/dev/null
	write_file $cset2/current_trigger user >/dev/null
	echo 1 >$cset2/trigger/enable
	rmdir $clock
}

# Each event takes longer than the period; the pause after it is as long.
test_missed_by_timer()
{
	echo 400000 >$cset0/trigger/nsamples
	echo 1 >$cset0/chan1/buffer/prefer-new
	echo 0 >$cset0/chan0/enable
	echo 0 >$cset0/chan2/enable
	write_file $cset0/current_trigger timer >/dev/null
	echo 1 >$own/period-ms
	check "a timer misses ticks" wait_until 20 \
		reached $cset0/statistics/lost_triggers 1
	write_file $cset0/current_trigger user >/dev/null
}

test_clock()
{
	write_file $cset0/current_trigger hrt >/dev/null
	echo 1000000 >$own/period-ns
	check "the trigger gets another clock" write_file $own/clock tai
	fired=$(statistic $cset0 fired)
	check "ticks continue by the other clock" wait_until 20 reached $cset0/statistics/fired \
		$((fired + 3))
	write_file $cset0/current_trigger user >/dev/null
}

test_sources()
{
	write_file $cset2/current_trigger chain >/dev/null
	source=$cset2/trigger/source
	check "a source is set" write_file $source zzero-0000/cset0
	check "another source is set" write_file $source zzero-0000/cset1
	fired=$(statistic $cset2 fired)
	dd if=$node-0-2-data of=/dev/null bs=16 count=3 2>/dev/null
	is "the first source is not followed any more" "$(statistic $cset2 fired)" "$fired"
	dd if=/dev/zero of=$node-1-0-data bs=16 count=3 2>/dev/null
	is "the second source is followed" "$(statistic $cset2 fired)" $((fired + 3))
	mkdir $config/devices/zzero/board
	echo 8 >$config/devices/zzero/board/id
	echo 1 >$config/devices/zzero/board/live
	check "a board is the source" write_file $source zzero-0008/cset0
	rmdir $config/devices/zzero/board
	check "the trigger is disabled after its source is removed" \
		write_file $cset2/trigger/enable 0
	check "the trigger is enabled without a source" write_file $cset2/trigger/enable 1
	write_file $cset2/current_trigger user >/dev/null
}

# A set with another trigger does not hold the module.
test_modules()
{
	for type in timer hrt sysfs chain; do
		check "zio-trig-$type is unloaded" wait_until 10 \
			zio-unload zio-trig-$type
	done
}

for type in timer hrt sysfs chain; do
	zio-load zio-trig-$type
done
for test in phase missed missed_by_timer clock sources; do
	zio-unload zio-zero && zio-load zio-zero
	test_$test
done
test_modules
done_testing
