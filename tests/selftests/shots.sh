#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Blocks that several events fill: their samples and times, the burst of hrt, and what
# happens between two shots: a missed tick, a change, another trigger, the end of the board.
. "${0%/*}/lib.sh"

devices=/sys/kernel/config/zio/devices/zzero
own=$cset0/trigger
saw=zzero-0-2

statistic()
{
	cat "$cset0/statistics/$1"
}

# reached FILE NUMBER
reached()
{
	[ "$(cat "$1")" -ge "$2" ]
}

# use_shots TRIGGER NSHOTS NSAMPLES: the trigger is disabled
use_shots()
{
	echo 0 >$own/enable
	echo "$3" >$own/nsamples
	echo "$2" >$own/nshots
	write_file $cset0/current_trigger "$1" >/dev/null
}

fire()
{
	n=$1
	while [ "$n" -gt 0 ]; do
		echo 1 >$own/fire
		n=$((n - 1))
	done
}

# times_rise N: each line of shots has so many times, each later than the one before
times_rise()
{
	zio-dump -n 5 -c $saw | awk -v n="$1" '
		/^  shots/ {
			blocks++
			if ($2 != n ":" || $3 != 0 || NF != n + 3)
				exit bad = 1
			for (i = 4; i < NF; i++) {
				if ($i + 0 <= last)
					exit bad = 1
				last = $i + 0
			}
			last = 0
		}
		END { exit bad || blocks != 5 }'
}

# The samples of the next block
next_block()
{
	zio-dump -n 1 -d $saw | sed -n 's/^ *data  *0: //p'
}

test_events()
{
	use_shots sysfs 4 2
	echo 1 >$own/enable
	fire 3
	is "three of four events make no block" \
		"$(cat $cset0/chan2/buffer/queued-buffer-len)" 0
	fire 1
	is "the fourth event makes one" "$(cat $cset0/chan2/buffer/queued-buffer-len)" 1
	is "the samples are those of four shots" "$(next_block)" "00 01 02 03 04 05 06 07"
	is "each event is counted" "$(statistic fired)" 4
	fire 20
	check "each shot has a time, later than the one before" times_rise 4
}

# A change of the configuration ends a block with the shots that it has.
test_changes()
{
	use_shots sysfs 4 2
	echo 1 >$own/enable
	fire 2
	check "the size is changed between two shots" write_file $own/nsamples 1
	is "the block has the shots so far" "$(next_block)" "00 01 02 03"
	fire 1
	check "the trigger is changed between two shots" write_file $cset0/current_trigger hrt
	is "the block has the shot so far" "$(next_block)" "04"
	is "nothing is lost" "$(statistic lost_triggers) $(cat $cset0/chan2/statistics/lost_blocks)" \
		"0 0"
}

test_refused()
{
	expect_write_errno "an output takes single shots" EOPNOTSUPP \
		$zzero/cset1/trigger/nshots 2
	check "a control has 16 times" write_file $own/nshots 16
	expect_write_errno "a control has no more than 16 times" ERANGE $own/nshots 17
	mkdir $devices/slow
	echo 9 >$devices/slow/id
	echo 1000 >$devices/slow/delay-us
	echo 1 >$devices/slow/live
	expect_write_errno "a conversion that takes time is no shot" EOPNOTSUPP \
		/sys/bus/zio/devices/zzero-0009/cset0/trigger/nshots 2
	rmdir $devices/slow
}

test_burst()
{
	use_shots hrt 8 1
	echo 10000000 >$own/period-ns
	echo 8 >$own/burst
	echo 40 >$own/shots
	check "hrt fires in bursts" write_file $own/enable 1
	check "five bursts of eight are fired" wait_until 20 \
		reached $cset0/chan2/statistics/blocks 5
	is "no more shots are fired" "$(statistic fired)" 40
	check "the shots of a burst have times" times_rise 8
	expect_write_errno "a burst has an end" ERANGE $own/burst 17
	echo 4 >$own/shots
	check "a series ends between two shots" wait_until 20 \
		reached $cset0/statistics/fired 44
	check "the trigger is disabled" write_file $own/enable 0
	is "the block has the shots of the series" "$(next_block | wc -w)" 4
}

# A tick each microsecond takes more than the half of the time that ticks may have.
test_missed()
{
	use_shots hrt 8 1
	echo 1000 >$own/period-ns
	echo 3 >$own/burst
	echo 1 >$own/enable
	check "ticks are missed between shots" wait_until 20 \
		reached $cset0/statistics/lost_triggers 9
	echo 0 >$own/enable
	is "a missed tick is a whole burst" $(($(statistic lost_triggers) % 3)) 0
	is "a block has the alarm" $(($(cat $cset0/chan2/alarms) & 2)) 2
	is "only whole blocks were made" "$(($(statistic fired) / 8))" \
		"$(($(cat $cset0/chan2/statistics/blocks) + \
			$(cat $cset0/chan2/statistics/lost_blocks) - \
			($(statistic fired) % 8 > 0)))"
}

# A demand has no time between its shots.
test_demand()
{
	use_shots user 4 2
	echo 1 >$own/enable
	is "a read fills a block as a whole" "$(next_block | wc -w)" 8
}

test_unplug()
{
	use_shots sysfs 4 2
	echo 1 >$own/enable
	fire 2
	check "the board goes between two shots" zio-unload zio-zero
	zio-load zio-zero
	use_shots hrt 8 1
	echo 1000000 >$own/period-ns
	echo 1 >$own/enable
	wait_until 20 reached $cset0/statistics/fired 3
	check "the board goes while shots come" zio-unload zio-zero
	zio-load zio-zero
}

for type in hrt sysfs; do
	zio-load zio-trig-$type
done
for test in events changes refused burst missed demand unplug; do
	zio-unload zio-zero && zio-load zio-zero
	test_$test
done
done_testing
