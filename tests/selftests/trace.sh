#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The tracepoints: the life of a block, a loss with its cause, a removal.
. "${0%/*}/lib.sh"

tracefs=/sys/kernel/tracing
trace=$tracefs/instances/zio
node=/dev/zio/zzero-0000-0-1
fire=$cset0/trigger/fire

set_up()
{
	[ -e $tracefs/events ] || mount -t tracefs none $tracefs || return
	zio-load zio-trig-sysfs && write_file $cset0/current_trigger sysfs &&
		mkdir $trace && write_file $trace/events/zio/enable 1
}

# events REGEX: the events whose fields match, in order, in one line
events()
{
	sed -n "s/^.*: zio_\([a-z_]*\): $1\$/\1/p" $trace/trace | xargs
}

# The set has three channels, and the filters leave one.
test_life()
{
	for event in arm block_done block_read; do
		check "life: $event of channel 1 alone" write_file \
			$trace/events/zio/zio_$event/filter \
			'dev == "zzero" && id == 0 && cset == 0 && chan == 1'
	done
	check "life: an event" write_file $fire 1
	dd if=$node-data of=/dev/null bs=16 count=1 2>/dev/null &
	reader=$!
	wait $reader
	is "life: a block is read" $? 0
	is "life: in order" "$(events '.*')" "fire arm block_done block_read"
	is "life: the trigger" "$(events 'zzero-0000-0 trigger=sysfs time=[0-9]*')" fire
	is "life: one block" "$(events 'zzero-0000-0-1 seq=0 len=16 alarms=0x0')" \
		"arm block_done block_read"
	check "life: the reader" grep -q -- "-$reader .*: zio_block_read: " $trace/trace
}

# The buffer has room for two blocks. The block that comes after the loss has its alarm.
test_loss()
{
	check "loss: two blocks" write_file $cset0/chan1/buffer/max-buffer-len 2
	echo >$trace/trace
	for i in 1 2 3; do
		check "loss: event $i" write_file $fire 1
	done
	is "loss: in order" "$(events '.*')" \
		"fire arm block_done fire arm block_done fire lost"
	is "loss: the cause" \
		"$(events 'zzero-0000-0 chan=1 seq=3 n=1 cause=no-block error=0')" lost
	is "loss: as counted" "$(cat $cset0/chan1/statistics/lost_blocks)" 1
	check "loss: room" write_file $cset0/chan1/flush 1
	check "loss: one more event" write_file $fire 1
	is "loss: the alarm behind it" \
		"$(events 'zzero-0000-0-1 seq=4 len=16 alarms=0x1')" block_done
}

test_removal()
{
	check "the board goes" zio-unload zio-zero
	is "its event" "$(events zzero-0000)" removed
}

check "a trace, and a trigger for each event" set_up
test_life
test_loss
test_removal
rmdir $trace
done_testing
