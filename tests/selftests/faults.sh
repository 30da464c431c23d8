#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# leaks
# not distro: that kernel cannot inject failures
#
# Each allocation fails once: in a bind, an open, and changes of sizes.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000
driver=/sys/bus/platform/drivers/zio-zero
slab=/sys/kernel/debug/failslab

count_left()
{
	ls /sys/bus/zio/devices /sys/zio/devices /sys/class/zio /dev/zio \
		2>/dev/null | grep -c -e zzero -e zmini
}

works()
{
	check "$1: the device works" is_sawtooth $node-0-2-data
}

# Fail allocations that may sleep, too, and print no stack for each.
set_up()
{
	for what in failslab fail_page_alloc; do
		echo N >/sys/kernel/debug/$what/ignore-gfp-wait
		echo 0 >/sys/kernel/debug/$what/verbose
	done
}

# Each allocation of a small board, and some of a board with all kinds of sets.
test_bind()
{
	write_file $driver/unbind zio-zero.0 >/dev/null
	zio-load zio-mini
	zio-load zio-board driver=zio-mini
	mini=/sys/bus/platform/drivers/zio-mini
	write_file $mini/unbind zio-mini.0 >/dev/null
	check "bind of zio-mini" fail-nth --write zio-mini.0 \
		--undo $mini/unbind=zio-mini.0 $mini/bind
	diag "$said"
	is "bind of zio-mini: nothing is left" "$(count_left)" 0
	check "bind of zio-mini: the next try" \
		write_file $mini/bind zio-mini.0
	is "bind of zio-mini: all is there" "$(count_left)" 13
	zio-unload zio-board
	zio-unload zio-mini
	check "bind of zio-zero" fail-nth --write zio-zero.0 --stride 17 \
		--undo $driver/unbind=zio-zero.0 $driver/bind
	diag "$said"
	is "bind: nothing is left" "$(count_left)" 0
	check "bind: the next try" write_file $driver/bind zio-zero.0
	is "bind: all is there" "$(count_left)" 25
	works bind
}

test_open()
{
	for name in 0-0-data 0-0-ctrl 2-0-data; do
		check "open of $name" fail-nth --open read $node-$name
		works "open of $name"
	done
	for name in 1-0-data 1-0-ctrl; do
		check "open of $name" fail-nth --open write $node-$name
	done
	check "rmmod: no reference is held" zio-unload zio-zero
	zio-load zio-zero
}

# test_change FILE OLD NEW
test_change()
{
	check "write of $1" fail-nth --write "$3" --undo $zzero/"$1=$2" $zzero/"$1"
	diag "$said"
	is "write of $1: the old value" "$(cat $zzero/"$1")" "$2"
	check "write of $1: the next try" write_file $zzero/"$1" "$3"
	works "write of $1"
	write_file $zzero/"$1" "$2" >/dev/null
}

# The files for areas come with the first of them; a failure leaves none.
test_first_area()
{
	zio-load zio-buf-vmalloc
	check "first area" fail-nth --write vmalloc --stride 3 --undo \
		$zzero/cset0/current_buffer=kmalloc $zzero/cset0/current_buffer
	diag "$said"
	write_file $driver/unbind zio-zero.0 >/dev/null
	write_file $driver/bind zio-zero.0 >/dev/null
	zio-unload zio-buf-vmalloc
}

test_memory()
{
	zio-unload zio-zero zio-buf-kmalloc zio
	# kmemleak switches itself off when it gets no memory.
	check "the leak detector is still on" \
		write_file /sys/kernel/debug/kmemleak scan
	check "no memory is lost" zio-leak-scan
}

if [ ! -d $slab ] || [ ! -e /proc/self/fail-nth ]; then
	skip "allocations fail" "this kernel cannot inject failures"
	done_testing
fi
set_up
test_bind
test_open
test_change cset0/trigger/nsamples 16 32
test_change cset0/trigger/post-samples 16 32
test_change cset0/chan2/buffer/max-buffer-len 16 8
test_change cset0/current_trigger user user
test_first_area
test_change cset2/chan0/gain-factor 1000 2000
if has_leak_check; then
	test_memory
else
	skip "no memory is lost" "this kernel does not look for leaks"
fi
done_testing
