#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# single
# rt
#
# Triggers: each type alone, and shared by sets of several devices.
. "${0%/*}/lib.sh"

config=/sys/kernel/config/zio
node=/dev/zio/zzero-0000
cset2=$zzero/cset2
own=$cset0/trigger
clock0=$config/triggers/hrt/clock0

load_types()
{
	for type in timer hrt sysfs chain irq; do
		check "zio-trig-$type loads" zio-load zio-trig-$type
		check "$type has a directory" test -d $config/triggers/$type
	done
	is "what there is" "$(xargs </sys/bus/zio/available_triggers)" \
		"user transparent timer hrt sysfs chain irq"
	is "user and transparent cannot be shared" \
		"$(cd $config/triggers && echo *)" "chain hrt irq sysfs timer"
}

use()
{
	echo "$2" >"$1/current_trigger"
}

# reached FILE NUMBER
reached()
{
	[ "$(cat "$1")" -ge "$2" ]
}

test_sysfs()
{
	check "sysfs" use $cset0 sysfs
	fired=$(cat $cset0/statistics/fired)
	check "fire" write_file $own/fire 1
	check "fire again" write_file $own/fire 1
	is "fired twice" "$(cat $cset0/statistics/fired)" $((fired + 2))
	expect_errno "2 is no number of fires" ERANGE write_file $own/fire 2
	check "disabled" write_file $own/enable 0
	expect_errno "no fire while disabled" ESHUTDOWN write_file $own/fire 1
	is "not fired" "$(cat $cset0/statistics/fired)" $((fired + 2))
	check "enabled" write_file $own/enable 1
	check "back to user" use $cset0 user
	check "its files went" test ! -e $own/fire
}

test_timer()
{
	check "timer" use $cset0 timer
	expect_write_errno "period 0" ERANGE $own/period-ms 0
	expect_write_errno "no number" EINVAL $own/period-ms fast
	check "period" write_file $own/period-ms 20
	fired=$(cat $cset0/statistics/fired)
	check "it ticks" wait_until 10 reached $cset0/statistics/fired \
		$((fired + 10))
	check "phase" write_file $own/phase-ms 7
	check "it ticks on" wait_until 10 reached $cset0/statistics/fired \
		$((fired + 20))
	check "back to user" use $cset0 user
}

test_hrt()
{
	echo 0 >$own/enable
	check "hrt" use $cset0 hrt
	for value in 0 1 999 9223372036854775808 99999999999999999; do
		expect_write_errno "period $value" ERANGE $own/period-ns $value
	done
	for value in -1 1ms 99999999999999999999999; do
		capture write_file $own/period-ns "$value"
		is "period $value is refused" $status 1
	done
	check "period" write_file $own/period-ns 1000000
	check "enable" write_file $own/enable 1
	is "control tells it" "$(node-trig number $node-0-2-ctrl 0)" \
		"1000000 hrt"
	check "a long one" write_file $own/period-ns 5000000000
	echo 1000000 >$own/period-ns
	for clock in monotonic boottime tai realtime; do
		check "clock $clock" write_file $own/clock $clock
		check "time stamps by $clock" \
			node-trig clock $node-0-2-ctrl $clock
	done
	expect_write_errno "no such clock" EINVAL $own/clock sun
	check "the clock is set back" node-trig set-back $node-0-2-ctrl 3600
	check "back to user" use $cset0 user
}

# Under events, and under readers who fire themselves.
test_clocks()
{
	check "hrt" use $cset0 hrt
	echo 200000 >$own/period-ns
	check "an own clock changes under events" \
		node-trig clocks $node-0-2-ctrl $own/clock 2
	use $cset0 user
	check "under readers" node-trig clocks $node-0-2-ctrl $own/clock 2
	mkdir $clock0
	echo 200000 >$clock0/period-ns
	use $cset0 clock0
	check "one that is shared" node-trig clocks $node-0-2-ctrl $clock0/clock 2
	use $cset0 user
	rmdir $clock0
}

# So many, and not one more: while it is disabled, all is set.
test_shots()
{
	mkdir $clock0
	echo 0 >$clock0/enable
	echo 1000000 >$clock0/period-ns
	echo 25 >$clock0/shots
	check "a clock that stands" use $cset0 clock0
	echo 1 >$clock0/enable
	check "25 shots" wait_until 10 reached $clock0/fired 25
	usleep 50000
	is "and no more" "$(cat $clock0/fired)" 25
	is "all of them by the set" "$(cat $cset0/statistics/fired)" 25
	is "missed ones, too" "$(cat $cset0/statistics/lost_triggers)" \
		"$(cat $clock0/missed)"
	echo 0 >$clock0/shots
	use $cset0 user
	rmdir $clock0
}

test_start()
{
	use $cset0 user
	mkdir $clock0
	echo monotonic >$clock0/clock
	echo 0 >$clock0/enable
	start=$(awk '{ printf "%d000000000\n", $1 + 2 }' /proc/uptime)
	echo $start >$clock0/start-ns
	echo 1000000 >$clock0/period-ns
	use $cset0 clock0
	echo 1 >$clock0/enable
	check "nothing before the start" node-trig later $node-0-2-ctrl $start
	use $cset0 user
	rmdir $clock0
}

test_chain()
{
	check "chain" use $cset2 chain
	chain=$cset2/trigger/source
	expect_write_errno "no address" EINVAL $chain zzero
	expect_write_errno "no such set" ENODEV $chain zzero-0000/cset9
	expect_write_errno "no such device" ENODEV $chain zzero-0009/cset0
	expect_write_errno "itself" ELOOP $chain zzero-0000/cset2
	check "source" write_file $chain zzero-0000/cset0
	fired=$(cat $cset2/statistics/fired)
	dd if=$node-0-2-data of=/dev/null bs=16 count=10 2>/dev/null
	is "ten followed ten" "$(cat $cset2/statistics/fired)" $((fired + 10))
	check "cset0 follows cset2: a ring" use $cset0 chain
	check "its source" write_file $own/source zzero-0000/cset2
	check "a third starts it" use $cset0 sysfs
	check "one event" write_file $own/fire 1
	check "back to user" use $cset2 user
	check "back to user, too" use $cset0 user
}

test_irq()
{
	check "irq" use $cset0 irq
	expect_write_errno "no such interrupt" EINVAL $own/irq 4000
	check "disabled" write_file $own/enable 0
	expect_write_errno "looked at all the same" EINVAL $own/irq 4000
	check "enabled" write_file $own/enable 1
	expect_write_errno "no line" EINVAL $own/line 12
	expect_write_errno "no such controller" ENODEV $own/line nowhere:3
	expect_write_errno "no such edge" EINVAL $own/edge sharp
	check "edge" write_file $own/edge both
	check "back to user" use $cset0 user
}

test_transparent()
{
	lost=$(cat $cset2/chan0/statistics/lost_blocks)
	check "transparent" use $cset2 transparent
	is "16 blocks wait" "$(cat $cset2/chan0/buffer/allocated-buffer-len)" 16
	check "a thousand of them" dd if=$node-2-0-data of=/dev/null bs=64 \
		count=1000
	is "none was lost" "$(cat $cset2/chan0/statistics/lost_blocks)" "$lost"
	check "back to user" use $cset2 user
	zio-load zio-buf-vmalloc
	check "memory to map" write_file $cset0/current_buffer vmalloc
	echo 0 >$cset0/chan0/enable
	echo 0 >$cset0/chan1/enable
	echo 8192 >$cset0/trigger/nsamples
	echo 128 >$cset0/chan2/buffer/watermark
	check "transparent" use $cset0 transparent
	check "a ring, a watermark beyond the area" \
		node-map ring $node-0-2 500
	echo 1 >$cset0/chan2/buffer/watermark
	check "a watermark of 1" node-map ring $node-0-2 500
	is "none of these was lost" \
		"$(cat $cset0/chan2/statistics/lost_blocks)" 0
	check "back to user" use $cset0 user
}

# More than the processor can do, by many triggers, each of which takes a little.
test_share()
{
	board=$config/devices/zzero/slow
	mkdir $board
	echo 24 >$board/csets
	echo 1 >$board/channels
	echo 1 >$board/live
	device=/sys/bus/zio/devices/$(cat $board/name)
	for set in "$device"/cset*; do
		echo 1 >"$set"/chan0/buffer/max-buffer-len
		echo 1 >"$set"/chan0/buffer/prefer-new
		echo 2000000 >"$set"/trigger/nsamples
	done
	check "high-resolution timers leave half of the time" \
		node-trig share "$device" 24 hrt trigger/period-ns 1000
	diag "a program takes $said times as long"
	check "timers, too" \
		node-trig share "$device" 24 timer trigger/period-ms 1
	diag "a program takes $said times as long"
	rmdir $board
}

# What does not fit into a page is not left out without a word.
test_many()
{
	mkdir $clock0 $config/devices/zzero/many
	echo 0 >$clock0/enable
	echo 300 >$config/devices/zzero/many/csets
	echo 1 >$config/devices/zzero/many/channels
	echo 1 >$config/devices/zzero/many/live
	for set in /sys/bus/zio/devices/"$(cat \
		$config/devices/zzero/many/name)"/cset[0-9]*; do
		echo clock0 >"$set"/current_trigger
	done
	is "as many as there are" "$(cat $clock0/n-csets)" 300
	is "the list has an end" "$(tail -n 1 $clock0/csets)" "..."
	check "and is of addresses" test "$(sed '$d' $clock0/csets |
		grep -c '^zzero-[0-9a-f]*/cset[0-9]*$')" -ge 200
	rmdir $config/devices/zzero/many $clock0
}

test_shared()
{
	zio-unload zio-zero && zio-load zio-zero ndev=3
	check "a clock" mkdir $clock0
	expect_errno "a name is taken once" EEXIST mkdir $config/triggers/timer/clock0
	expect_errno "nor is that of a type" EEXIST mkdir $config/triggers/timer/hrt
	expect_errno "names have 11 characters" "ENAMETOOLONG" \
		mkdir $config/triggers/hrt/twelve-chars
	check "1 ms" write_file $clock0/period-ns 1000000
	for id in 0 1 2; do
		for i in 0 2; do
			check "zzero-000$id/cset$i" use \
				/sys/bus/zio/devices/zzero-000$id/cset$i clock0
		done
	done
	is "they are told" "$(xargs <$clock0/csets)" "zzero-0000/cset0 \
zzero-0000/cset2 zzero-0001/cset0 zzero-0001/cset2 zzero-0002/cset0 \
zzero-0002/cset2"
	is "current_trigger" "$(cat $cset0/current_trigger)" clock0
	expect_errno "not while it is used" EBUSY rmdir $clock0
	expect_errno "nor its module" EAGAIN rmmod zio-trig-hrt
	expect_errno "the set's file is to be read" EACCES \
		write_file $own/clock tai
	is "by its mode" "$(stat -c %a $own/clock)" 444
	is "how many" "$(cat $clock0/n-csets)" 6
	check "one event, one time" node-trig events /dev/zio/zzero-0000-0-2-ctrl \
		/dev/zio/zzero-0002-2-0-ctrl 20
	check "the clock is told to all" write_file $clock0/clock tai
	check "by the first" node-trig clock /dev/zio/zzero-0001-0-1-ctrl tai
	check "by the last" node-trig clock /dev/zio/zzero-0002-2-0-ctrl tai
	check "one of them is off" write_file $own/enable 0
	fired=$(cat $cset0/statistics/fired)
	other=/sys/bus/zio/devices/zzero-0001/cset0/statistics/fired
	check "the others go on" wait_until 10 reached $other \
		$(($(cat $other) + 20))
	is "it does not" "$(cat $cset0/statistics/fired)" "$fired"
	check "all are off" write_file $clock0/enable 0
	fired=$(cat $clock0/fired)
	usleep 20000
	is "no event" "$(cat $clock0/fired)" "$fired"
	check "a board goes" zio-unload zio-zero
	is "with its sets" "$(cat $clock0/csets)" ""
	check "now the clock can go" rmdir $clock0
	check "and its module" zio-unload zio-trig-hrt
	zio-load zio-trig-hrt
	zio-load zio-zero
}

load_types
for test in shots sysfs timer hrt clocks chain irq transparent start share many shared; do
	# With nothing queued by the one before.
	zio-unload zio-zero && zio-load zio-zero
	test_$test
done
done_testing
