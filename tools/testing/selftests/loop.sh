#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# single
# rt
#
# zio-loop: what is written comes back, whatever the sizes, triggers and accidents.
. "${0%/*}/lib.sh"

zloop=/sys/bus/zio/devices/zloop-0000
out=/dev/zio/zloop-0000-0
in=/dev/zio/zloop-0000-1
driver=/sys/bus/platform/drivers/zio-loop
config=/sys/kernel/config/zio/devices/zloop
blocks=10000
! is_debug_kernel || blocks=1000

fresh()
{
	! grep -q '^zio_loop ' /proc/modules || zio-unload zio-loop
	zio-load zio-loop "$@"
}

# set FILE VALUE: of the device
set_to()
{
	write_file "$zloop/$1" "$2" >/dev/null || diag "$1: cannot be $2"
}

lost()
{
	cat $zloop/cset"$1"/chan"${2:-0}"/statistics/lost_blocks
}

test_trips()
{
	fresh
	check "round trip, trigger user" \
		node-loop trip $out-0 $in-0 $blocks 16 16
	set_to cset1/current_trigger transparent
	check "round trip, input transparent" \
		node-loop trip $out-0 $in-0 $blocks 16 16
	is "nothing was lost" "$(lost 0) $(lost 1)" "0 0"
	fresh
	check "no time stamp written" node-loop untimed $out-0 $in-0
	fresh
	check "a time stamp of bins alone" node-loop bins $out-0 $in-0
}

# Output blocks of up to so many samples, input blocks of so many.
test_sizes()
{
	for size in "16 5" "5 16" "1 1" "1000 7" "4096 4096" "65536 1000"; do
		fresh
		set_to cset0/trigger/nsamples "${size% *}"
		set_to cset1/trigger/nsamples "${size#* }"
		# The words are two arguments.
		# shellcheck disable=SC2086
		check "output of ${size% *}, input of ${size#* }" \
			node-loop trip $out-0 $in-0 200 $size
		is "$size: nothing was lost" "$(lost 0) $(lost 1)" "0 0"
	done
}

test_channels()
{
	fresh nchan=3
	set_to cset0/chan2/enable 0
	set_to cset1/chan2/enable 0
	check "two channels" node-loop lengths $out $in 16 16
	check "of different length" node-loop lengths $out $in 16 3
	check "the other one is longer" node-loop lengths $out $in 2 16
	set_to cset0/chan1/enable 0
	check "an output channel is disabled" node-loop lengths $out $in 16 0
	set_to cset0/chan1/enable 1
	set_to cset0/chan0/enable 0
	check "the first one is" node-loop lengths $out $in 0 16
	set_to cset0/chan0/enable 1
	set_to cset1/chan1/enable 0
	is "no alarm yet" "$(cat $zloop/cset0/chan1/alarms)" 0x0000
	printf 0123456789abcdef >$out-0-data
	printf 0123456789abcdef >$out-1-data
	is "an input channel is disabled: the other has its block" \
		"$(dd if=$in-0-data bs=16 count=1 2>/dev/null)" 0123456789abcdef
	is "and this is told" "$(cat $zloop/cset0/chan1/alarms)" 0x0400
	is "of no other" "$(cat $zloop/cset0/chan0/alarms)" 0x0000
}

# Ticks on either side. A tick that finds no block, or no room, is told by the core.
test_timed()
{
	modprobe zio-trig-hrt
	for side in 0 1; do
		fresh
		set_to cset$side/current_trigger hrt
		set_to cset$side/trigger/period-ns 1000000
		check "cset$side plays at the tick" \
			node-loop trip $out-0 $in-0 200 16 16
	done
	fresh
	for side in 0 1; do
		set_to cset$side/current_trigger hrt
		set_to cset$side/trigger/period-ns 500000
	done
	check "both do" node-loop trip $out-0 $in-0 200 16 16
	zio-unload zio-loop
	rmmod zio-trig-hrt
}

test_mapped()
{
	modprobe zio-buf-vmalloc
	fresh
	set_to cset0/current_buffer vmalloc
	set_to cset1/current_buffer vmalloc
	set_to cset1/current_trigger transparent
	kb=$(cat $zloop/cset0/chan0/buffer/max-buffer-kb)
	check "filled in place, read from a ring" \
		node-loop ring $out-0 $in-0 $blocks "$kb"
	set_to cset1/current_trigger user
	is "nothing was lost" "$(lost 0) $(lost 1)" "0 0"
}

test_storm()
{
	rounds=100
	! is_debug_kernel || rounds=20
	for buffer in kmalloc vmalloc; do
		fresh
		set_to cset0/current_buffer $buffer
		set_to cset1/current_buffer $buffer
		check "changes on both sides, $buffer" \
			node-loop storm $out-0 $in-0 \
			$zloop/cset0/chan0/statistics/lost_blocks $rounds \
			$zloop/cset0/enable=0,1 $zloop/cset1/enable=0,1 \
			$zloop/cset0/trigger/enable=0,1 \
			$zloop/cset1/trigger/enable=0,1 \
			$zloop/cset1/current_trigger=transparent,user \
			$zloop/cset1/trigger/nsamples=40,16 \
			$zloop/cset0/trigger/nsamples=40,16
		diag "$said"
		is "the input lost nothing" "$(lost 1)" 0
	done
}

test_unbind()
{
	fresh
	for round in 1 2 3 4 5; do
		check "unbind in the middle ($round)" node-life hammer $in-0 \
			$driver/unbind $out-0 zio-loop.0
		is "nothing is left ($round)" \
			"$(find /dev/zio /sys/bus/zio/devices -name 'zloop*' | wc -l)" 0
		check "bind again ($round)" write_file $driver/bind zio-loop.0
	done
	check "and it works" node-loop trip $out-0 $in-0 100 16 16
}

# The output's block is armed, and nobody reads: each way out of that.
test_waiting()
{
	for end in "unbind" "disable" "abort"; do
		fresh
		printf 0123456789abcdef >$out-0-data
		case $end in
		unbind) check "unbind while it waits" \
			write_file $driver/unbind zio-loop.0 ;;
		disable)
			check "disable while it waits" \
				write_file $zloop/cset0/enable 0
			is "the block is lost" "$(lost 0)" 1
			;;
		abort)
			set_to cset0/timeout-ms 20
			check "the time is up" wait_until 20 \
				grep -q 1 $zloop/cset0/chan0/statistics/lost_blocks
			;;
		esac
	done
}

test_config()
{
	fresh ndev=0
	check "mkdir" mkdir $config/wire
	write_file $config/wire/channels 2 >/dev/null
	write_file $config/wire/ssize 2 >/dev/null
	write_file $config/wire/nsamples 100 >/dev/null
	expect_write_errno "no channels" ERANGE $config/wire/channels 0
	expect_write_errno "too many" ERANGE $config/wire/channels 1025
	expect_write_errno "no samples" ERANGE $config/wire/nsamples 0
	expect_write_errno "nothing" EINVAL $config/wire/ssize ''
	check "live" write_file $config/wire/live 1
	is "its name" "$(cat $config/wire/name)" zloop-0000
	is "channels" "$(ls -d $zloop/cset[01]/chan* | wc -l)" 4
	is "ssize, nsamples" "$(cat $zloop/cset0/ssize $zloop/cset1/ssize \
		$zloop/cset0/trigger/nsamples $zloop/cset1/trigger/nsamples |
		xargs)" "2 2 100 100"
	check "a second one" mkdir $config/wire2
	check "lives" write_file $config/wire2/live 1
	check_fails "rmmod is refused" rmmod zio-loop
	check "rmdir" rmdir $config/wire $config/wire2
	is "nothing is left" "$(find /sys/bus/zio/devices -name 'zloop*')" ""
	check "rmmod" zio-unload zio-loop
	check_fails "channels=0" modprobe zio-loop nchan=0
	check_fails "ssize=1025" modprobe zio-loop ssize=1025
}

test_trips
test_sizes
test_channels
test_timed
test_mapped
test_storm
test_waiting
test_unbind
test_config
done_testing
