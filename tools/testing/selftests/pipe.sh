#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# single
#
# Who sleeps in splice(), for a block or for room, does not keep others from the pipe.
. "${0%/*}/lib.sh"

cset2=$zzero/cset2
node=/dev/zio/zzero-0000-2-0
fire=$cset2/trigger/fire

check "the buffer loads" zio-load zio-buf-vmalloc
check "the trigger loads" modprobe zio-trig-sysfs
check "the loop loads" zio-load zio-loop
check "events by hand" write_file $cset2/current_trigger sysfs

# By copy, and by reference.
for buffer in kmalloc vmalloc; do
	check "$buffer" write_file $cset2/current_buffer $buffer
	check "blocks of a page" write_file $cset2/trigger/nsamples 1024
	check "data, $buffer" node-pipe input $node-data 4096 $fire
	check "the one that splices is killed, $buffer" node-pipe killed $node-data
	check "the pipe is full when the block comes, $buffer" \
		node-pipe full $node-data 4096 $fire
	check "nobody reads the pipe, $buffer" node-pipe closed $node-data $fire
	# What nobody has read comes first.
	check "the block is there still, $buffer" dd if=$node-data of=/dev/null bs=4096 count=1
	check "controls, $buffer" node-pipe input $node-ctrl 512 $fire
done
check "controls of all channels" node-pipe input /dev/zio/sniff-ctrl 512 $fire
check "the one that splices them is killed" node-pipe killed /dev/zio/sniff-ctrl

loop=/dev/zio/zloop-0000
check "an output without room" node-pipe output $loop-0-0-data $loop-1-0 5000
check "an output that must not wait" node-pipe nowait $loop-0-0-data 5000
done_testing
