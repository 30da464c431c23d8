#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A ring that is opened and closed changes nothing for other users: armed blocks stay
# armed, and blocks that were acquired ahead go with the ring. A read acquires what it
# asks for.
. "${0%/*}/lib.sh"

rack1=/sys/kernel/config/zio/devices/zzero/rack1
rack=/sys/bus/zio/devices/zzero-0001
node=/dev/zio/zzero-0000
racknode=/dev/zio/zzero-0001-0

# make ATTRIBUTE=VALUE...
make()
{
	mkdir $rack1 && echo 1 >$rack1/id || return
	for pair; do
		echo "${pair#*=}" >$rack1/${pair%%=*} || return
	done
	echo 1 >$rack1/live
	echo vmalloc >$rack/cset0/current_buffer
}

# rings N NODE: open and close the ring N times
rings()
{
	left=$1
	while [ "$left" -gt 0 ]; do
		(exec 4<>"$2") || return
		left=$((left - 1))
	done
}

blocks()
{
	cat $rack/cset0/chan1/statistics/blocks
}

has_blocks()
{
	[ "$(blocks)" -eq "$1" ]
}

# fire: make events until one is not lost; the set may still be busy with the last one
fire()
{
	before=-1
	until [ "$before" = "$(cat $rack/cset0/statistics/lost_triggers)" ]; do
		before=$(cat $rack/cset0/statistics/lost_triggers)
		echo 1 >$rack/cset0/trigger/fire
	done
}

# The board is never done: only an abort would end its blocks.
test_armed()
{
	make channels=2 delay-us=4294967295
	echo sysfs >$rack/cset0/current_trigger
	echo 1 >$rack/cset0/trigger/fire
	check "rings of another channel are opened and closed" rings 20 $racknode-0-ctrl
	check "rings of this channel are opened and closed" rings 20 $racknode-1-ctrl
	for chan in 0 1; do
		is "chan$chan has lost nothing" \
			"$(cat $rack/cset0/chan$chan/statistics/lost_blocks)" 0
	done
	rmdir $rack1
}

# The board is done while rings are opened and closed.
test_done()
{
	make channels=2 delay-us=2000 pattern=sawtooth
	echo sysfs >$rack/cset0/current_trigger
	echo 64 >$rack/cset0/chan1/buffer/max-buffer-len
	n=0
	while [ $n -lt 40 ]; do
		fire
		rings 3 $racknode-0-ctrl
		n=$((n + 1))
		wait_until 120 has_blocks $n || break
	done
	is "each event has its block" "$(blocks)" 40
	is "no block is lost" "$(cat $rack/cset0/chan1/statistics/lost_blocks)" 0
	is "all blocks can be read" "$(dd if=$racknode-1-data bs=640 count=1 \
		2>/dev/null | wc -c)" 640
	rmdir $rack1
}

# cat_file METHOD BLOCKS: how many bytes so many blocks have
cat_file()
{
	zio-cat-file --method=$1 $node-0-1-data $2 2>/dev/null | wc -c
}

# The loop of the wiki acquires exactly what is read.
test_sizes()
{
	write_file $cset0/chan0/enable 0 >/dev/null
	write_file $cset0/chan2/enable 0 >/dev/null
	for size in 16 32 64 256 4096; do
		write_file $cset0/trigger/nsamples $size >/dev/null
		for method in $1; do
			is "$method: 100 blocks of $size" \
				"$(cat_file $method 100)" $((100 * size))
		done
	done
	seq=$(zio-dump -n 1 --json zzero-0-1 | sed -n 's/.*"seq": *\([0-9]*\).*/\1/p')
	is "sequence numbers continue over all methods" "$seq" \
		"$((5 * 100 * $(echo $1 | wc -w)))"
	is "as many blocks were acquired as were read" "$(cat $cset0/chan1/statistics/blocks)" \
		$((seq + 1))
	write_file $cset0/trigger/nsamples 16 >/dev/null
}

zio-load zio-buf-vmalloc
zio-load zio-trig-sysfs
test_armed
test_done
test_sizes "read"
zio-unload zio-zero && zio-load zio-zero
write_file $cset0/current_buffer vmalloc >/dev/null
test_sizes "read ring"
done_testing
