#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# not distro: the sanitizers find what the calls break
#
# Random system calls in four processes: two configure, two use the nodes as members
# of the group. ZIO_FUZZ_SECONDS makes it longer, and ZIO_FUZZ_SEED repeats one.
. "${0%/*}/lib.sh"

config=/sys/kernel/config/zio
seconds=${ZIO_FUZZ_SECONDS:-120}
seed=${ZIO_FUZZ_SEED:-$(($(date +%s) % 100000))}
fuzz=${0%/*}/bin/fuzz

set_up()
{
	zio-unload zio-zero && zio-load zio-zero ndev=2 || return
	for module in zio-buf-vmalloc zio-trig-hrt zio-trig-timer zio-trig-sysfs \
		zio-trig-chain zio-mini zio-loop zio-fake-dtc; do
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

# remove DIRECTORY...: those that are there
remove()
{
	for directory; do
		[ ! -d $directory ] || rmdir $directory || return
	done
}

# The program may have unloaded them, and modprobe may have failed then.
unload()
{
	for module; do
		[ ! -d /sys/module/$(echo $module | tr - _) ] ||
			zio-unload $module || return
	done
}

check "boards, buffers and triggers" set_up
check "$seconds s of random calls, seed $seed" \
	"$fuzz" --seed $seed --seconds $seconds
[ $status -ne 0 ] || diag "$said"
check "boards that were made go" remove $config/devices/*/f?
check "so do those that were there" unload zio-board zio-zero zio-mini zio-loop \
	zio-fake-dtc
check "then the triggers can" remove $config/triggers/hrt/* $config/triggers/timer/* \
	$config/triggers/sysfs/*
check "and all modules" wait_until 60 unload zio-trig-hrt zio-trig-timer \
	zio-trig-sysfs zio-trig-chain zio-buf-vmalloc zio-buf-kmalloc zio
check "a fresh board comes" zio-load zio-zero
check "and acquires exactly" node-basic sawtooth /dev/zio/zzero-0000-0-2-data 16
done_testing
