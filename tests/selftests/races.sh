#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kasan
#
# All files are read while blocks flow and settings change. A kernel that looks for data
# races (kcsan) finds what is wrong. On other kernels this is a test of endurance.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000
rounds=3
! is_debug_kernel || rounds=1
users=

# start COMMAND...: run a user in the background until stop_users
start()
{
	"$@" >/dev/null 2>&1 &
	users="$users $!"
}

stop_users()
{
	# shellcheck disable=SC2086
	kill $users
	# shellcheck disable=SC2086
	wait $users
	users=
}

# Read every file of the board: attributes, statistics, controls.
look()
{
	i=0
	while [ $i -lt $rounds ]; do
		find -L $zzero/cset? -maxdepth 3 -type f ! -name flush -exec cat {} + >/dev/null ||
			return 1
		i=$((i + 1))
	done
}

move_knobs()
{
	i=0
	while [ $i -lt 20 ]; do
		echo $((i % 2)) >$cset0/chan2/buffer/prefer-new
		echo $((1 + i % 4)) >$cset0/chan2/buffer/watermark
		echo $i >$cset0/chan2/alarms
		echo $i >$zzero/cset2/chan0/offset
		i=$((i + 1))
	done
}

start_users()
{
	start cat $node-0-2-data
	start cat $node-2-0-data
	start cat $node-0-2-ctrl
	start dd if=/dev/zero of=$node-1-0-data bs=16
}

test_buffer()
{
	for set in 0 1 2; do
		check "cset$set: $1" \
			write_file $zzero/cset$set/current_buffer "$1"
	done
	start_users
	check "$1: all files are read under users" look
	check "$1: settings change under users" move_knobs
	for user in $users; do
		check "$1: a user still runs" kill -0 "$user"
	done
	stop_users
}

check "the buffer loads" zio-load zio-buf-vmalloc
test_buffer kmalloc
test_buffer vmalloc
start zio-cat-file --method=ring $node-0-2
start cat $node-0-0-data
check "all files are read under a ring" look
stop_users
done_testing
