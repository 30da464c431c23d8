#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Modules are loaded and unloaded, and leave nothing behind.

. "${0%/*}/lib.sh"

unload()
{
	zio-unload zio-zero zio-buf-kmalloc zio-configfs zio
}

load()
{
	zio-load zio-zero && zio-load zio-configfs && zio-load zio-buf-kmalloc
}

holder()
{
	exec 3</dev/zio/zzero-0000-0-1-data
	read -r _ </tmp/hold
}

check "the bus exists" test -d /sys/bus/zio
is "the core tells its version in one line" \
	"$(wc -l </sys/bus/zio/version)" 1
check "the board exists" test -d $zzero
check "the path of ZIO 1.x exists" test -d /sys/zio/devices/zzero/cset0
check "a node exists" test -c /dev/zio/zzero-0000-0-1-data
check "the short name exists" test -c /dev/zzero-0-1-data
# udev makes the two short names one after the other.
mv /dev/zzero-0-1-ctrl /tmp
check "a program finds the channel by one short name" zio-cat-file /dev/zzero-0-1-data 1
mv /tmp/zzero-0-1-ctrl /dev
is "five channels make ten nodes, and a set of three one more" \
	"$(find /dev/zio -name "z*" -type c | wc -l)" 11
is "data nodes of inputs are 0440" "$(stat -c %a /dev/zio/zzero-0000-0-1-data)" 440
is "control nodes of inputs are 0660" \
	"$(stat -c %a /dev/zio/zzero-0000-0-1-ctrl)" 660
is "output nodes are 0660" "$(stat -c %a /dev/zio/zzero-0000-1-0-data)" 660

mkfifo /tmp/hold
holder &
wait_until 10 sh -c "ls -l /proc/$!/fd | grep -q zzero-0000-0-1-data"
check_fails "the driver is not unloaded while a node is open" rmmod zio-zero
check "the board still exists" test -d $zzero
echo >/tmp/hold
wait $!

check "all modules are unloaded" unload
check_fails "the bus is removed" test -e /sys/bus/zio
check_fails "no node is left" ls /dev/zio/*
check_fails "no short name is left" ls /dev/zzero-0-1-data
for i in 1 2 3 4 5; do
	check "load, round $i" load
	check "unload, round $i" unload
done
done_testing
