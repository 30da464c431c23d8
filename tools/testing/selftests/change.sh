#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# single
# rt
#
# The configuration changes while others read and write; overruns are counted.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000
reads=3000
! is_debug_kernel || reads=300

fresh()
{
	zio-unload zio-zero && zio-load zio-zero
}

# under_readers FILE VALUES: of cset0, while channels 0 and 2 are read
under_readers()
{
	fresh
	check "$1 changes under readers ($2)" node-change readers \
		$node-0-0 $cset0/chan0/statistics/lost_blocks \
		$node-0-2 $cset0/chan2/statistics/lost_blocks \
		$cset0/"$1" "$2" $reads
	check "and the channel works" sh -c "echo 1 >$cset0/enable
		echo 1 >$cset0/trigger/enable; echo 1 >$cset0/chan2/enable
		node-basic sawtooth $node-0-2-data 7"
}

test_readers()
{
	under_readers trigger/nsamples 16,1,1000,17,5000,3
	under_readers chan2/buffer/max-buffer-len 16,1,2,100,3
	under_readers chan0/buffer/prefer-new 1,0
	under_readers chan2/buffer/watermark 1,2,16
	under_readers chan0/enable 0,1
	under_readers chan1/enable 0,1
	under_readers trigger/enable 0,1
	under_readers enable 0,1
	under_readers current_trigger user
	under_readers chan2/alarms 0,65535
}

test_writers()
{
	for what in trigger/nsamples:16,1,1000,17,4096,3 enable:0,1 \
		chan0/buffer/max-buffer-len:16,1,100,2 trigger/enable:0,1; do
		fresh
		check "${what%:*} changes under writers" node-change writers \
			$node-1-0 $zzero/cset1/"${what%:*}" "${what#*:}" $reads
	done
}

lost()
{
	cat $cset0/chan0/statistics/lost_blocks
}

# The numbers of the blocks that are there; no more are made.
queued()
{
	echo 0 >$cset0/trigger/enable
	node-change queued $node-0-0-ctrl
	echo 1 >$cset0/trigger/enable
}

# Channel 0 is not read while channel 2 is: 16 blocks fit.
test_prefer_old()
{
	fresh
	node-change count $node-0-2-data 16
	is "16 blocks fit" "$(lost) $(cat $cset0/chan0/alarms)" "0 0x0000"
	node-change count $node-0-2-data 9
	is "9 are lost" "$(lost)" 9
	is "all but those were counted" \
		"$(cat $cset0/chan0/statistics/blocks)" 16
	is "alarm" "$(cat $cset0/chan0/alarms)" 0x0001
	is "the other channel lost nothing" \
		"$(cat $cset0/chan2/statistics/lost_blocks)" 0
	echo 2 >$cset0/chan0/alarms
	is "another bit was cleared" "$(cat $cset0/chan0/alarms)" 0x0001
	echo 1 >$cset0/chan0/alarms
	is "this was cleared" "$(cat $cset0/chan0/alarms)" 0x0000
	is "the oldest are there" "$(queued)" \
		"$(seq -s ' ' 0 15) "
	# The last of those was left with its data unread.
	dd if=$node-0-0-data of=/dev/null bs=16 count=1 2>/dev/null
	is "the next one tells of the loss" \
		"$(node-change queued $node-0-0-ctrl | cut -d' ' -f1)" "25!"
}

test_prefer_new()
{
	fresh
	echo 1 >$cset0/chan0/buffer/prefer-new
	node-change count $node-0-2-data 25
	is "9 are lost" "$(lost)" 9
	is "the newest are there; those after the loss tell of it" \
		"$(queued)" \
		"$(seq -s ' ' 9 15) $(seq -s '! ' 16 24)! "
}

# Each block that was made is queued, or read, or lost, also after a shrink.
test_shrink()
{
	for prefer in 0 1; do
		fresh
		echo $prefer >$cset0/chan0/buffer/prefer-new
		node-change count $node-0-2-data 16
		echo 2 >$cset0/chan0/buffer/max-buffer-len
		node-change count $node-0-2-data 20
		queued=$(queued | wc -w)
		is "sum after a shrink, prefer-new $prefer" \
			$(($(lost) + queued)) 36
	done
}

test_prefer_old
test_prefer_new
test_shrink
test_writers
test_readers
done_testing
