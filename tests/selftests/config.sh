#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Boards that are made by mkdir, unplugged under a reader, and made by the hundred.
. "${0%/*}/lib.sh"

devices=/sys/kernel/config/zio/devices
rack1=$devices/zzero/rack1
bus=/sys/bus/zio/devices

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
	check "a directory makes a board" mkdir $rack1
	is "the board is not live" "$(cat $rack1/live)" 0
	is "a board that is not live has no name" "$(cat $rack1/name)" ""
	expect_write_errno "id beyond four digits" ERANGE $rack1/id 65536
	expect_write_errno "an id that is not a number" EINVAL $rack1/id first
	expect_write_errno "0 channels" ERANGE $rack1/channels 0
	expect_write_errno "too many channels" ERANGE $rack1/channels 65
	expect_write_errno "an unknown pattern" EINVAL $rack1/pattern stripes
	expect_write_errno "too many sets" ERANGE $rack1/csets 65536
	expect_write_errno "live refuses 2" EINVAL $rack1/live 2
	check "the id is set" write_file $rack1/id 5
	check "the number of channels is set" write_file $rack1/channels 4
	check "the board becomes live" write_file $rack1/live 1
	check "live is written again" write_file $rack1/live 1
	is "the name of the board" "$(cat $rack1/name)" zzero-0005
	is "four channels" "$(ls -d $bus/zzero-0005/cset0/chan* | wc -l)" 4
	expect_write_errno "a live board keeps its channels" EBUSY $rack1/channels 5
	expect_write_errno "a live board keeps its id" EBUSY $rack1/id 6
	mkdir $devices/zzero/rack2
	echo 5 >$devices/zzero/rack2/id
	expect_write_errno "an id is given once" EEXIST $devices/zzero/rack2/live 1
	is "the refused board leaves nothing" "$(ls $bus | xargs)" "zzero-0000 zzero-0005"
	expect_errno "the driver is in use" EAGAIN rmmod zio-zero
	check "the board is unplugged" write_file $rack1/live 0
	is "the board is removed" "$(ls $bus)" zzero-0000
	check "another board gets the id" write_file $devices/zzero/rack2/live 1
	is "the other board has the id" "$(cat $devices/zzero/rack2/name)" zzero-0005
	check "rmdir unplugs" rmdir $devices/zzero/rack2
	is "the other board is removed" "$(ls $bus)" zzero-0000
	check "rmdir of a board that is not live" rmdir $rack1
}

# is_asleep_with PID NODE: the process has the node open, and sleeps
is_asleep_with()
{
	ls -l /proc/"$1"/fd | grep -q "$2" && grep -q '^State:.[SD]' /proc/"$1"/status
}

# unplug_under_reader DELAY_US: while a reader sleeps and the board is busy
unplug_under_reader()
{
	make rack1 id=7 delay-us="$1"
	dd if=/dev/zio/zzero-0007-0-0-data of=/dev/null 2>/tmp/dd.said &
	reader=$!
	check "a reader sleeps" wait_until 10 is_asleep_with $reader zzero-0007
	check "the board is unplugged under the reader" rmdir $rack1
	wait $reader
	is "the reader ends with an error" $? 1
	check "the error is ENODEV" grep -q "No such device" /tmp/dd.said
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
	is "many boards are made" $i $n
	is "all boards exist" "$(ls $bus | grep -c zzero)" $((n + 1))
	is "the last board works" "$(dd if=/dev/zio/$(cat \
		$devices/zzero/m$((n - 1))/name)-0-0-data bs=16 count=1 \
		2>/dev/null | wc -c)" 16
	rmdir $devices/zzero/m*
	is "all boards are removed" "$(ls $bus | grep -c zzero)" 1
}

test_too_slow()
{
	mkdir $rack1
	echo 1 >$rack1/sleeps
	echo 4294967295 >$rack1/delay-us
	expect_write_errno "a board that sleeps for an hour is refused" EINVAL $rack1/live 1
	rmdir $rack1
}

test_life
test_unplug
test_hundreds
test_too_slow
done_testing
