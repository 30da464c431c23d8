#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The vmalloc buffer, its mappings, the control ring, output in place.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000
buffer2=$cset0/chan2/buffer
driver=/sys/bus/platform/drivers/zio-zero

check "the buffer loads" zio-load zio-buf-vmalloc
check "kmalloc cannot be mapped" node-map none $node-0-2
for set in 0 1; do
	check "cset$set: vmalloc" \
		write_file $zzero/cset$set/current_buffer vmalloc
done
is "an area of 128 KiB" "$(cat $buffer2/max-buffer-kb)" 128
is "of 256 blocks" "$(cat $buffer2/max-buffer-len)" 256

test_sizes()
{
	for n in 16 1 4096 65536 131072 131071 1000; do
		check "nsamples $n" write_file $cset0/trigger/nsamples $n
		check "nsamples $n: mapped is what is read" \
			node-map data $node-0-2 128
	done
	expect_write_errno "larger than the area" ENOSPC \
		$cset0/trigger/nsamples 131073
	expect_write_errno "no samples" EINVAL $cset0/trigger/nsamples 0
	write_file $cset0/trigger/nsamples 16 >/dev/null
}

test_area()
{
	expect_write_errno "no area" EINVAL $buffer2/max-buffer-kb 0
	expect_write_errno "an area beyond all memory" ENOMEM \
		$buffer2/max-buffer-kb 4294967295
	write_file $cset0/trigger/nsamples 8192 >/dev/null
	expect_write_errno "an area smaller than a block" ENOSPC \
		$buffer2/max-buffer-kb 4
	write_file $cset0/trigger/nsamples 16 >/dev/null
	mkfifo /tmp/hold
	node-map hold $node-0-2 </tmp/hold >/tmp/held &
	exec 3>/tmp/hold
	check "one maps" wait_until 10 grep -q mapped /tmp/held
	expect_write_errno "mapped: the area stays" EBUSY \
		$buffer2/max-buffer-kb 256
	expect_write_errno "mapped: the buffer stays" EBUSY \
		$cset0/current_buffer kmalloc
	check "mapped: blocks may be of another size" \
		write_file $cset0/trigger/nsamples 32
	exec 3>&-
	wait $!
	check "unmapped: another area" write_file $buffer2/max-buffer-kb 256
	check "the larger area" node-map data $node-0-2 256
	check "and back" write_file $buffer2/max-buffer-kb 128
	check "another number of blocks" write_file $buffer2/max-buffer-len 7
	check "seven blocks" node-map data $node-0-2 128
	check "back again" write_file $buffer2/max-buffer-len 256
	write_file $cset0/trigger/nsamples 16 >/dev/null
	dd if=$node-0-2-data of=/dev/null bs=16 count=1 2>/dev/null
	expect_write_errno "queued blocks: the area stays" EBUSY \
		$cset0/chan0/buffer/max-buffer-kb 64
}

fresh()
{
	zio-unload zio-zero && zio-load zio-zero &&
	echo vmalloc >$cset0/current_buffer &&
	echo vmalloc >$zzero/cset1/current_buffer &&
	echo 0 >$cset0/chan0/enable && echo 0 >$cset0/chan1/enable
}

test_ring()
{
	check "fresh" fresh
	check "refused mappings" node-map refuse $node-0-2 128
	check "a ring of watermark 1" node-map ring $node-0-2 20000
	echo 64 >$buffer2/watermark
	capture node-map ring $node-0-2 64000
	is_between "a ring of watermark 64: polls" "${said% polls}" 400 1000
	echo 128 >$buffer2/watermark
	echo 8192 >$cset0/trigger/nsamples
	check "a watermark beyond the area" node-map ring $node-0-2 500
	echo 16 >$cset0/trigger/nsamples
	echo 1 >$buffer2/watermark
	dd if=$node-0-2-data of=/dev/null bs=10 count=1 2>/dev/null
	check "a block was left over" node-map ring $node-0-2 1000
	is "nothing is lost" "$(cat $cset0/chan2/statistics/lost_blocks)" 0
	echo 5000 >$cset0/trigger/nsamples
	check "larger blocks" node-map ring $node-0-2 3000
	echo 16 >$cset0/trigger/nsamples
	check "one ring at a time, and no reader" node-map alone $node-0-2
	check "the ring ends with its mappings" node-map later $node-0-2
	check "nonsense in the header" node-map hostile $node-0-2
	check "the ring works after that" node-map ring $node-0-2 1000
	check "forks" node-map fork $node-0-2
	check "consumers are killed" node-map killed $node-0-2 30
	check "the board goes" node-map gone $node-0-2 $driver/unbind \
		$driver/bind zio-zero.0
}

# A million blocks is 16 MiB of 16 bytes each.
test_loss()
{
	mib=17 least=1000000
	! is_debug_kernel || { mib=1 least=50000; }
	check "fresh" fresh
	echo 1 >$cset0/chan0/enable
	check "losses are accounted for" node-map loss $node-0-0 \
		$node-0-2-data $mib $cset0/chan0/statistics
	is_between "blocks lost" "$said" $least 2000000
}

test_batch()
{
	check "fresh" fresh
	for n in 1 2 16 60; do
		check "fresh for $n controls" fresh
		check "$n controls at once" node-map batch $node-0-2 $n
	done
	check "half a block" node-map half $node-0-2
	echo 16384 >$cset0/trigger/nsamples
	check "more controls than blocks fit" node-map few $node-0-2 10
	echo 16 >$cset0/trigger/nsamples
	is "none is lost" "$(cat $cset0/chan2/statistics/lost_blocks)" 0
}

test_room()
{
	check "fresh" fresh
	check "memory is somebody else's" node-map starve $node-0-2 \
		$cset0/chan2/statistics/lost_blocks
	check "fresh" fresh
	echo 1 >$cset0/chan0/enable
	echo 1 >$buffer2/prefer-new
	check "new ones preferred, the oldest in hand" \
		node-map prefer $node-0-2 $node-0-0-data
	check "fresh" fresh
	check "the order after a fault" node-map order $node-0-2
	echo 0 >$zzero/cset1/trigger/enable
	echo 65536 >$zzero/cset1/trigger/nsamples
	check "an output without room" node-map full $node-1-0
	check "fresh" fresh
	check "a bad control is not read back" node-map scratch $node-1-0
}

test_output()
{
	check "output in place" node-map output $node-1-0 \
		$zzero/cset1/chan0/statistics/blocks \
		$zzero/cset1/chan0/statistics/bytes
}

test_sizes
test_area
test_ring
test_loss
test_batch
test_room
test_output
done_testing
