#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# not kasan: the KUnit suites zio-queue and zio-ring wrap there
#
# The counters of 32 bits begin shortly before their wrap: heads, tails, sequence
# numbers, blocks played.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000
first=4294967200

fresh()
{
	zio-unload zio-zero && zio-load zio-zero &&
	echo "$1" >$cset0/current_buffer &&
	echo "$1" >$zzero/cset1/current_buffer &&
	echo 0 >$cset0/chan0/enable && echo 0 >$cset0/chan1/enable
}

# sequence BYTES: that of the next block, after so many bytes of data
sequence()
{
	dd if=$node-0-2-data of=/dev/null bs=16 count="$1" 2>/dev/null
	node-wrap number $node-0-2
}

test_buffer()
{
	check "$1: fresh" fresh "$1"
	is "$1: the number of the first block" "$(sequence 0)" $first
	is "$1: of one before the wrap" "$(sequence 90)" $((first + 91))
	check "$1: none is missing over the wrap" \
		node-wrap follow $node-0-2 200
	check "$1: fresh" fresh "$1"
	check "$1: the order of blocks that are left" node-wrap left $node-0-2 200
	check "$1: fsync waits over the wrap" node-wrap play $node-1-0 120 \
		$zzero/cset1/trigger/enable
	is "$1: nothing is lost" "$(cat $cset0/chan2/statistics/lost_blocks)" 0
}

# Blocks are queued, and the queue gets another size, where the counts wrap.
test_resize()
{
	check "fresh" fresh kmalloc
	echo 1 >$cset0/chan0/enable
	echo 200 >$cset0/chan0/buffer/max-buffer-len
	dd if=$node-0-2-data of=/dev/null bs=16 count=150 2>/dev/null
	is "150 are queued" "$(cat $cset0/chan0/buffer/queued-buffer-len)" 150
	check "the queue gets another size" \
		write_file $cset0/chan0/buffer/max-buffer-len 300
	is "150 are still queued" \
		"$(cat $cset0/chan0/buffer/queued-buffer-len)" 150
	check "in the same order" node-wrap follow $node-0-0 150
}

test_ring()
{
	check "fresh" fresh vmalloc
	check "a ring" node-map ring $node-0-2 1000
	check "fresh" fresh vmalloc
	check "nonsense in its header" node-map hostile $node-0-2
	check "it works after that" node-map ring $node-0-2 1000
	check "fresh" fresh vmalloc
	check "blocks filled in place" node-map output $node-1-0 \
		$zzero/cset1/chan0/statistics/blocks \
		$zzero/cset1/chan0/statistics/bytes
	check "fresh" fresh vmalloc
	echo 1 >$cset0/chan2/buffer/merge-data
	is "merged blocks" "$(node-wrap merged $node-0-2 300)" 0
}

zio-unload zio-zero zio-buf-kmalloc zio
check "counters begin before their wrap" zio-load zio first_count=$first
check "the rest loads" zio-load zio-zero
zio-load zio-buf-kmalloc
zio-load zio-buf-vmalloc
test_buffer kmalloc
test_buffer vmalloc
test_resize
test_ring
done_testing
