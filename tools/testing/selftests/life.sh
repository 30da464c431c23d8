#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# single
# leaks
# rt
#
# Life and death: several users, boards that go under them, loading, unloading.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000
driver=/sys/bus/platform/drivers/zio-zero

fresh()
{
	zio-unload zio-zero && zio-load zio-zero "$@"
}

# What there is of ZIO's objects, anywhere: devices, links, nodes.
count_left()
{
	ls /sys/bus/zio/devices /sys/zio/devices /sys/class/zio /dev/zio \
		2>/dev/null | grep -c "$1"
}

test_users()
{
	fresh
	check "each block comes to one reader of four" \
		node-life readers $node-2-0
	fresh
	check "a reader and a closer" node-life closer $node-2-0
	check "fork with open files" node-life fork $node-2-0
	check "files closed under threads" node-life threads $node-2-0
	rounds=2000
	! is_debug_kernel || rounds=1000
	check "readers of two channels do not wait for each other" \
		node-life lockstep $node-0-0 $node-0-2 $rounds
	for chan in 0 2; do
		echo 16 >$cset0/chan$chan/buffer/watermark
	done
	check "nor with a watermark" \
		node-life lockstep $node-0-0 $node-0-2 $rounds
}

test_rmmod_refused()
{
	fresh
	node-life hold $node-0-0 /tmp/held &
	check "a node is open" wait_until 20 test -e /tmp/held
	check_fails "rmmod of the driver is refused" rmmod zio-zero
	check_fails "rmmod of the core is refused" rmmod zio
	check_fails "rmmod of the buffer is refused" rmmod zio-buf-kmalloc
	rm /tmp/held
	wait
	check "rmmod after the close" zio-unload zio-zero
	is "nothing is left" "$(count_left zzero)" 0
	check "loaded again" zio-load zio-zero
	check "and it works" node-basic sawtooth $node-0-2-data 16
}

test_unbind()
{
	for switch in cset2/chan0/enable cset2/trigger/enable; do
		fresh
		check "unbind under sleepers ($switch off)" node-life unbind \
			$node-2-0 $zzero/$switch $driver/unbind zio-zero.0 \
			$node-1-0
		is "nothing is left" "$(count_left zzero)" 0
		check "bind again" write_file $driver/bind zio-zero.0
		zio-links
		check "and it works" node-basic sawtooth $node-0-2-data 16
	done
	for round in 1 2 3 4 5; do
		check "unbind under busy users ($round)" node-life hammer \
			$node-2-0 $driver/unbind $node-1-0 zio-zero.0
		is "nothing is left ($round)" "$(count_left zzero)" 0
		check "bind again ($round)" write_file $driver/bind zio-zero.0
	done
	is "all is there again" "$(count_left zzero)" 23
}

# The board comes back while somebody still holds a node of the former one.
test_rebind_open()
{
	fresh
	node-life hold $node-0-0 /tmp/held &
	check "a node is open" wait_until 20 test -e /tmp/held
	check "unbind" write_file $driver/unbind zio-zero.0
	is "nothing is left" "$(count_left zzero)" 0
	check "bind while the old node is open" \
		write_file $driver/bind zio-zero.0
	check "and it works" node-basic sawtooth $node-0-2-data 16
	rm /tmp/held
	wait
	check "still works" node-basic sawtooth $node-0-2-data 16
}

test_loading()
{
	zio-unload zio-zero
	for round in $(seq 20); do
		zio-load zio-zero && zio-unload zio-zero || break
	done
	is "20 times loaded and unloaded" "$round" 20
	zio-unload zio-buf-kmalloc
	zio-unload zio
	check_fails "the core is gone" test -d /sys/bus/zio
	check_fails "its directory, too" test -d /sys/zio
	modprobe zio-buf-kmalloc
	check "all loaded again" zio-load zio-zero ndev=2
	for id in 0 1; do
		check "device $id works" node-basic sawtooth \
			/dev/zio/zzero-000$id-0-2-data 7
	done
	is "both are there" "$(ls /sys/zio/devices | xargs)" \
		"zzero zzero-0000 zzero-0001"
	write_file $driver/unbind zio-zero.0 >/dev/null
	check "the other goes on" node-basic sawtooth \
		/dev/zio/zzero-0001-0-2-data 7
	zio-unload zio-zero
	is "nothing is left" "$(count_left zzero)" 0
}

# values NODE: those of two blocks, each once
values()
{
	dd if="$1" bs=16 count=2 2>/dev/null | od -An -v -tu1 -w1 | sort -u | xargs
}

test_board()
{
	zio-load zio-mini
	is "zio-mini alone has no device" "$(count_left zmini)" 0
	check_fails "a board without driver" modprobe zio-board
	check_fails "no board" modprobe zio-board driver=zio-mini count=0
	check "three boards" zio-load zio-board driver=zio-mini count=3
	is "three devices" "$(ls /sys/bus/zio/devices | grep -c zmini)" 3
	is "channel 0" "$(values /dev/zio/zmini-0000-0-0-data)" 0
	is "channel 1" "$(values /dev/zio/zmini-0002-0-1-data)" 1
	check "the driver is unloaded" zio-unload zio-mini
	is "no device is left" "$(count_left zmini)" 0
	check "and loaded" zio-load zio-mini
	is "the devices are back" "$(ls /sys/bus/zio/devices | grep -c zmini)" 3
	check "the boards are unloaded" zio-unload zio-board
	is "nothing is left" "$(count_left zmini)" 0
	zio-unload zio-mini
}

test_parameters()
{
	check_fails "nchan=0" modprobe zio-zero nchan=0
	check_fails "ncset=65536" modprobe zio-zero ncset=65536
	check_fails "pattern=stripes" modprobe zio-zero pattern=stripes
}

test_many()
{
	n=80
	! is_debug_kernel || n=40
	zio-load zio-zero ndev=$n ncset=2 nchan=3 pattern=channel
	is "nodes" "$(ls /dev/zio | grep -c zzero)" $((n * 12))
	is "devices" "$(ls /sys/bus/zio/devices | grep -c zzero)" $n
	last=$(printf %04x $((n - 1)))
	is "the last one works" "$(values /dev/zio/zzero-$last-1-2-data)" 2
	zio-unload zio-zero
	is "nothing is left" "$(count_left zzero)" 0
	is "no node is left" "$(ls /dev/zio 2>/dev/null | grep -c ^z)" 0
}

test_users
test_rmmod_refused
test_unbind
test_rebind_open
test_loading
test_board
test_parameters
test_many
done_testing
