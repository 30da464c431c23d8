#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The examples in C on the channels of zio-zero. tests/unit/examples_test.sh compiles them
# as a user does.
. "${0%/*}/lib.sh"

# shows PROGRAM LAST_LINE [ARGUMENT...]
shows()
{
	wanted=$2
	program=$1
	shift 2
	check "$program runs" "$program" "$@"
	is "$program: its last line" "$(echo "$said" | tail -n 1)" "$wanted"
}

check "the trigger loads" zio-load zio-trig-hrt
check "the buffer loads" zio-load zio-buf-vmalloc
shows list_devices zzero-0000
shows read_blocks 'block 9: 1000 bytes, 0 lost before it'
is "read_blocks: the trigger" "$(cat $cset0/current_trigger)" hrt
is "read_blocks: its period" "$(cat $cset0/trigger/period-ns)" 10000000
check 'two_channels runs' two_channels
is 'it reads five blocks of each' "$(echo "$said" | cut -d : -f 1 | sort | uniq -c | xargs)" \
	'5 zzero-0-0 5 zzero-0-2'
shows block_file '100 blocks, 3200 bytes'
shows volts '0.101 V' run.zio
shows many_blocks '100 blocks, 0 lost' run.zio
echo 0 >$cset0/enable
echo 100000 >$cset0/trigger/period-ns
echo 1 >$cset0/enable
check "many_blocks on a channel" many_blocks
is "it reads 10000 blocks" "$(echo "$said" | grep -c '^10[0-9]* blocks, ')" 1
# Its last event is whole only if no block is lost: nothing old is queued, and there is room
# for all.
echo 0 >$cset0/enable
check "a hundred events each second" write_file $cset0/trigger/period-ns 10000000
for n in 0 2; do
	check "channel $n has room" write_file $cset0/chan$n/buffer/max-buffer-len 256
	check "channel $n begins anew" write_file $cset0/chan$n/flush 1
done
echo 1 >$cset0/enable
check "two_boards on two channels" two_boards
is "the last event has two blocks" "$(echo "$said" | tail -n 1 | cut -d : -f 2)" \
	' block block'
echo vmalloc >$zzero/cset1/current_buffer
shows play_ramp '10 blocks by write'
done_testing
