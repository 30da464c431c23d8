#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# kasan
# swiotlb
#
# DMA of the S-LINK card to blocks of each buffer type, which are mapped once: with an
# IOMMU, with bounce buffers, and with the kernel's checks of the DMA API.
# iommu
# device: sspci,id=a
# device: sps,id=b
# device: sspci,id=c,peer=b
# device: sps,id=h
. "${0%/*}/lib-slink.sh"

checks=/sys/kernel/debug/dma-api

# The machine is what its arguments say.
test_place()
{
	group=$(readlink /sys/bus/pci/devices/$pci/iommu_group) || group=
	if grep -q intel_iommu=on /proc/cmdline; then
		check "the card is behind an IOMMU" test -n "$group"
	else
		is "the card is behind no IOMMU" "$group" ""
	fi
	if grep -q swiotlb=force /proc/cmdline; then
		check "the areas have bounce buffers" test \
			"$(cat /sys/kernel/debug/swiotlb/io_tlb_used)" -gt 0
	fi
}

# use_buffer TYPE: both directions of all cards
use_buffer()
{
	for set in $bus/slink-*/cset0 $bus/sps-*/cset0; do
		write_file $set/current_buffer $1 || return
	done
}

test_input()
{
	fresh
	echo 8192 >$in/trigger/nsamples
	for type in kmalloc vmalloc dma vmalloc; do
		check "all cards use $type" use_buffer $type
		echo 4096 >$in/trigger/nsamples
		stream "$type: five words" 50 count fixed 5 5 1
		stream "$type: around a page" 29 random sweep 1016 1044 1
		stream "$type: any size" 60 random random 0 4000 1
	done
	is "no event was lost" "$(stat chan0/statistics/lost_blocks)" 0
	is "no transfer was aborted" "$(stat aborts)" 0
}

test_output()
{
	to=$bus/$receiver/cset0
	for type in kmalloc vmalloc dma; do
		use_buffer $type
		check "$type: both links are up" wait_until 10 eval '[ "$(cat $to/link)" = 1 ]'
		slink-send /dev/zio/$sender-0-0 5 3000 &
		is "$type: events are sent, and come" \
			"$(slink-events -n 5 /dev/zio/$receiver-0-0)" \
			"3000/0 3000/0 3000/0 3000/0 3000/0 "
		wait $!
	done
}

# The areas are mapped anew. Blocks that are queued move to the new one.
test_resize()
{
	fresh
	use_buffer dma
	for kb in 64 4096 128 1024; do
		check "the area gets $kb KiB" \
			write_file $in/chan0/buffer/max-buffer-kb $kb
		stream "events in $kb KiB" 30 random random 0 2000 1
	done
	bench event=0 sizes=fixed size=100 count=3 mode=block
	wait_until 10 eval '[ "$(ask complete)" -ge 3 ]'
	check "an area with queued blocks" write_file $in/chan0/buffer/max-buffer-kb 64
	slink-events --drain 1 $node >/tmp/drained
	expect_write_errno "an area beyond the memory" ENOMEM \
		$in/chan0/buffer/max-buffer-kb 4000000000
}

# A reader has the node open, and has mapped its samples.
test_unplug()
{
	fresh
	for type in dma vmalloc kmalloc; do
		use_buffer $type
		hold_node $node
		bench event=0 size=100 count=100 mode=block
		check "$type: the card goes while its blocks are queued" \
			write_file $driver/unbind $pci
		release_node
		check "$type: the card comes back" write_file $driver/bind $pci
		wait_until 10 link_is 1
	done
}

# A block outlives the card. Its map must not.
test_held()
{
	for type in dma vmalloc; do
		fresh
		use_buffer $type
		bench event=0 size=1000 count=1 mode=block
		rm -f /tmp/held
		hold-block $node /tmp/held &
		check "$type: a program has a block" wait_until 10 test -e /tmp/held
		check "$type: the card goes" write_file $driver/unbind $pci
		check "$type: the card comes back" write_file $driver/bind $pci
		wait_until 10 link_is 1
		stream "$type: the new board" 10 count fixed 5 5 1
		kill $!
		wait $! 2>/dev/null
	done
}

test_refusal()
{
	check "the buffer dma is known" modprobe zio-buf-dma
	expect_write_errno "a board without DMA" EOPNOTSUPP $cset0/current_buffer dma
	check "the log tells why" eval \
		'dmesg | grep -q "cset0: the driver names no device for DMA: use the buffer vmalloc"'
}

begin_slink
[ $# -gt 0 ] || set -- refusal input place output resize unplug held
[ ! -d $checks ] || free=$(cat $checks/num_free_entries)
for test; do
	test_$test
done
check "the drivers are unloaded" zio-unload zio-slink
zio-unload zio-sps
if [ -d $checks ]; then
	is "the DMA API has seen no error" "$(cat $checks/error_count)" 0
	check "no mapping is left" test "$(cat $checks/num_free_entries)" -ge "$free"
fi
done_testing
