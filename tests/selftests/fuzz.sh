#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kasan
# not distro: the sanitizers find what the calls break
#
# Random system calls in four processes: two configure, two use the nodes as members
# of the group. ZIO_FUZZ_SECONDS sets the time, ZIO_SEED names a seed. ZIO_FUZZ_FAVOUR has
# operations that come more often; then others may not succeed.
. "${0%/*}/lib.sh"

config=/sys/kernel/config/zio
seconds=${ZIO_FUZZ_SECONDS:-20}
seed=${ZIO_SEED:-1}

set_up()
{
	zio-unload zio-zero && zio-load zio-zero ndev=2 || return
	for module in zio-buf-vmalloc zio-trig-hrt zio-trig-timer zio-trig-sysfs \
		zio-trig-chain zio-mini zio-loop zio-fake-dtc zio-fake-adc; do
		zio-load $module || return
	done
	zio-load zio-board driver=zio-mini || return
	mkdir $config/triggers/hrt/clock0 $config/triggers/timer/clock1 \
		$config/triggers/sysfs/pulse0 || return
	echo 3000000 >$config/triggers/hrt/clock0/period-ns
	echo 3 >$config/triggers/timer/clock1/period-ms
	echo 1 >/proc/sys/vm/unprivileged_userfaultfd || return
	for cset in /sys/bus/zio/devices/*/cset?; do
		[ "$(cat $cset/ssize)" = 0 ] ||
			echo vmalloc >$cset/current_buffer || return
	done
}

# remove DIRECTORY...: if they exist
remove()
{
	for directory; do
		[ ! -d $directory ] || rmdir $directory || return
	done
}

# The program may have unloaded a module, and modprobe may have failed then.
unload()
{
	for module; do
		[ ! -d /sys/module/$(echo $module | tr - _) ] ||
			zio-unload $module || return
	done
}

check "a tick ends each call that blocks" fuzz --scenario ticks
check "boards, buffers and triggers are set up" set_up
check "$seconds s of random calls, seed $seed" \
	fuzz --scenario calls --seed $seed --seconds $seconds \
	${ZIO_FUZZ_FAVOUR:+--scant --favour "$ZIO_FUZZ_FAVOUR"}
[ $status -ne 0 ] || diag "$said"
check "boards in configfs are removed" remove $config/devices/*/f?
# The kernel closes the last files of a program, as those of io_uring, after its end.
check "drivers are unloaded" wait_until 60 unload zio-board zio-zero zio-mini zio-loop \
	zio-fake-dtc zio-fake-adc
check "shared triggers are removed" remove $config/triggers/hrt/* \
	$config/triggers/timer/* $config/triggers/sysfs/*
check "all modules are unloaded" wait_until 60 unload zio-trig-hrt zio-trig-timer \
	zio-trig-sysfs zio-trig-chain zio-buf-vmalloc zio-buf-kmalloc \
	zio-configfs zio-dmabuf zio
check "the driver is loaded again" zio-load zio-zero
check "its board acquires a sawtooth" is_sawtooth /dev/zio/zzero-0000-0-2-data
done_testing
