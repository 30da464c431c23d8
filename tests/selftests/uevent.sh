#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# not kasan: it reads values
#
# What udev is told: the direction of a node, and a new buffer or trigger of a device.
. "${0%/*}/lib.sh"

# direction NODE
direction()
{
	sed -n 's/^ZIO_DIRECTION=//p' "/sys/class/zio/zzero-0000-$1/uevent"
}

# events VALUE FILE: how many events a write causes
events()
{
	before=$(cat /sys/kernel/uevent_seqnum)
	echo "$1" >"$2" 2>/dev/null
	echo $(($(cat /sys/kernel/uevent_seqnum) - before))
}

test_direction()
{
	for node in 0-0-ctrl 0-0-data 2-0-data; do
		is "$node is of an input" "$(direction $node)" input
	done
	for node in 1-0-ctrl 1-0-data; do
		is "$node is of an output" "$(direction $node)" output
	done
}

# The modules are loaded before: a module has events of its own.
test_changes()
{
	zio-load zio-buf-vmalloc
	zio-load zio-trig-timer
	is "a new buffer" "$(events vmalloc $cset0/current_buffer)" 1
	is "a new trigger" "$(events timer $cset0/current_trigger)" 1
	is "a trigger that does not exist" "$(events none $cset0/current_trigger)" 0
	is "another file" "$(events 8 $cset0/trigger/nsamples)" 0
	echo user >$cset0/current_trigger
	zio-unload zio-trig-timer
}

test_direction
test_changes
done_testing
