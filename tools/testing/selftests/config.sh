#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Devices made by mkdir; what only such can be: interleaved, slow, asleep, stuck. The
# sniffer, and fsync.
. "${0%/*}/lib.sh"

devices=/sys/kernel/config/zio/devices
rack1=$devices/zzero/rack1
bus=/sys/bus/zio/devices
node=/dev/zio/zzero-0000

# make NAME [ATTRIBUTE=VALUE]...
make()
{
	name=$1
	shift
	mkdir $devices/zzero/$name || return
	for pair; do
		echo "${pair#*=}" >$devices/zzero/$name/${pair%%=*} || return
	done
	echo 1 >$devices/zzero/$name/live
}

test_life()
{
	check "mkdir" mkdir $rack1
	is "not yet live" "$(cat $rack1/live)" 0
	is "no name yet" "$(cat $rack1/name)" ""
	expect_write_errno "id beyond four digits" ERANGE $rack1/id 65536
	expect_write_errno "id that is none" EINVAL $rack1/id first
	expect_write_errno "no channels" ERANGE $rack1/channels 0
	expect_write_errno "too many" ERANGE $rack1/channels 65
	expect_write_errno "no such pattern" EINVAL $rack1/pattern stripes
	expect_write_errno "too many sets" ERANGE $rack1/csets 65536
	expect_write_errno "neither on nor off" EINVAL $rack1/live 2
	check "id" write_file $rack1/id 5
	check "channels" write_file $rack1/channels 4
	check "live" write_file $rack1/live 1
	check "live again" write_file $rack1/live 1
	is "its name" "$(cat $rack1/name)" zzero-0005
	is "four channels" "$(ls -d $bus/zzero-0005/cset0/chan* | wc -l)" 4
	expect_write_errno "no change while live" EBUSY $rack1/channels 5
	expect_write_errno "nor of the id" EBUSY $rack1/id 6
	mkdir $devices/zzero/rack2
	echo 5 >$devices/zzero/rack2/id
	expect_write_errno "the number is taken" EEXIST $devices/zzero/rack2/live 1
	is "nothing is left of it" "$(ls $bus | xargs)" "zzero-0000 zzero-0005"
	expect_errno "the driver is in use" EAGAIN rmmod zio-zero
	check "unplug" write_file $rack1/live 0
	is "gone" "$(ls $bus)" zzero-0000
	check "the other can have the number" write_file $devices/zzero/rack2/live 1
	is "and has it" "$(cat $devices/zzero/rack2/name)" zzero-0005
	check "rmdir unplugs" rmdir $devices/zzero/rack2
	is "gone, too" "$(ls $bus)" zzero-0000
	check "rmdir of what is not live" rmdir $rack1
}

# is_asleep_with PID NODE: the process has the node open, and sleeps
is_asleep_with()
{
	ls -l /proc/"$1"/fd | grep -q "$2" && grep -q '^State:.[SD]' /proc/"$1"/status
}

# is_more_than NUMBER FILE
is_more_than()
{
	[ "$(cat "$2")" -gt "$1" ]
}

# Hot: with a reader asleep, and one in the middle.
# unplug_under_reader DELAY_US: in the middle of a conversion
unplug_under_reader()
{
	make rack1 id=7 delay-us="$1"
	dd if=/dev/zio/zzero-0007-0-0-data of=/dev/null 2>/tmp/dd.said &
	reader=$!
	check "a reader waits" wait_until 10 is_asleep_with $reader zzero-0007
	check "unplug under him" rmdir $rack1
	wait $reader
	is "he is told" $? 1
	check "and why" grep -q "No such device" /tmp/dd.said
}

# A debug kernel sees memory that is freed while a timer in it runs.
test_unplug()
{
	unplug_under_reader 4294967295
	unplug_under_reader 10000000
}

test_hundreds()
{
	n=200
	! is_debug_kernel || n=30
	i=0
	while [ $i -lt $n ]; do
		mkdir $devices/zzero/m$i || break
		echo 1 >$devices/zzero/m$i/csets
		echo 1 >$devices/zzero/m$i/channels
		echo 1 >$devices/zzero/m$i/live || break
		i=$((i + 1))
	done
	is "hundreds" $i $n
	is "all are there" "$(ls $bus | grep -c zzero)" $((n + 1))
	is "the last one works" "$(dd if=/dev/zio/$(cat \
		$devices/zzero/m$((n - 1))/name)-0-0-data bs=16 count=1 \
		2>/dev/null | wc -c)" 16
	rmdir $devices/zzero/m*
	is "all are gone" "$(ls $bus | grep -c zzero)" 1
}

# Under events; a kernel with KASAN sees a driver that fills more than there is.
change_mask()
{
	echo 200000 >$1/trigger/period-ns &&
	for mask in 1 0x1f 2 0x1f 4 0x1f 8 0x1f 16 0x1f 1 0x1f 2 0x1f 4 0x1f; do
		echo $mask >$1/channels || return
	done
}

test_interleaved()
{
	make rack1 id=9 channels=5 ssize=2 pattern=sawtooth interleaved=1
	set9=$bus/zzero-0009/cset0
	node9=/dev/zio/zzero-0009-0-0
	is "one channel to read" "$(ls -d $set9/chan[0-9]* | wc -l)" 1
	is "all five" "$(node-trig frames $node9 5)" "0x1f 80"
	expect_write_errno "no channel" EINVAL $set9/channels 0
	expect_write_errno "a sixth channel" ERANGE $set9/channels 0x20
	check "two of them" write_file $set9/channels 0x12
	is "two of them" "$(node-trig frames $node9 2)" "0x12 32"
	check "other sets have no such file" test ! -e $bus/zzero-0009/cset2/channels
	zio-load zio-trig-hrt
	check "events" write_file $set9/current_trigger hrt
	check "others while events come" change_mask $set9
	is "all five at last" "$(cat $set9/channels)" 0x1f
	rmdir $rack1
}

test_slow()
{
	make rack1 id=1 delay-us=2000 pattern=sawtooth
	check "a conversion that takes its time" node-basic sawtooth \
		/dev/zio/zzero-0001-0-0-data 16
	rmdir $rack1
	make rack1 id=1 delay-us=2000 sleeps=1 pattern=sawtooth nsamples=100
	is "samples a block" "$(cat $bus/zzero-0001/cset0/trigger/nsamples)" 100
	check "asleep" node-basic sawtooth /dev/zio/zzero-0001-0-0-data 16
	rmdir $rack1
}

test_too_slow()
{
	mkdir $rack1
	echo 1 >$rack1/sleeps
	echo 4294967295 >$rack1/delay-us
	expect_write_errno "asleep for an hour" EINVAL $rack1/live 1
	rmdir $rack1
}

test_timeout()
{
	make rack1 id=2 delay-us=4294967295
	set2=$bus/zzero-0002/cset0
	expect_write_errno "time-out of years" ERANGE $set2/timeout-ms 4000000000
	check "time-out" write_file $set2/timeout-ms 50
	check "the reader is told" node-trig read-error \
		/dev/zio/zzero-0002-0-0-data ETIMEDOUT
	is "it is counted" "$(cat $set2/statistics/io_errors)" 1
	is "the block is lost" "$(cat $set2/chan0/statistics/lost_blocks)" 1
	check "once more" node-trig read-error /dev/zio/zzero-0002-0-0-data \
		ETIMEDOUT
	check "no time-out" write_file $set2/timeout-ms 0
	rmdir $rack1
}

test_sniffer()
{
	expect_errno "not for writing" EACCES dd of=/dev/zio/sniff-ctrl \
		if=/dev/null
	check "each control is seen" node-trig sniff $node-0-2-ctrl 50
	check "a slow one is told" node-trig sniff-lost $node-0-2-ctrl 5000
	check "many" node-trig sniffers $node-0-2-ctrl 500
	zio-dump -c -n 1 $node-0-2-ctrl >/dev/null 2>&1
}

test_sync()
{
	blocks=$cset0/../cset1/chan0/statistics/blocks
	is "two blocks and a part" "$(node-trig sync $node-1-0 $blocks)" 3
	zio-load zio-trig-hrt
	mkdir /sys/kernel/config/zio/triggers/hrt/clock1
	clock1=/sys/kernel/config/zio/triggers/hrt/clock1
	echo 5000000 >$clock1/period-ns
	echo clock1 >$zzero/cset1/current_trigger
	is "by the clock" "$(node-trig sync $node-1-0 $blocks)" 6
	lost=$(cat $zzero/cset1/chan0/statistics/lost_blocks)
	check "each tick without a block is counted" wait_until 10 \
		is_more_than $((lost + 3)) $zzero/cset1/chan0/statistics/lost_blocks
	is "and told" $(($(cat $zzero/cset1/chan0/alarms) & 1)) 1
	echo 0 >$clock1/enable
	check "a signal ends the wait" node-trig sync-signal $node-1-0
	echo user >$zzero/cset1/current_trigger
	rmdir $clock1
}

test_life
test_unplug
test_hundreds
test_interleaved
test_slow
test_too_slow
test_timeout
test_sniffer
test_sync
done_testing
