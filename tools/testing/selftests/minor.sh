#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# leaks
#
# Two boards come and go at the same time: each node gives its own channel.
. "${0%/*}/lib.sh"

driver=/sys/bus/platform/drivers/zio-zero
rounds=60
! is_debug_kernel || rounds=25

rebind()
{
	i=0
	while [ $i -lt $rounds ]; do
		echo "zio-zero.$1" >$driver/unbind || return 1
		echo "zio-zero.$1" >$driver/bind || return 1
		i=$((i + 1))
	done
}

# ends_well TEXT PID
ends_well()
{
	wait "$2"
	is "$1" $? 0
}

test_both()
{
	mkfifo /tmp/end
	node-minor opens /dev/zio/zzero-0000-0-2-ctrl 0 </tmp/end >/tmp/opens &
	opens=$!
	exec 3>/tmp/end
	check "one opens" wait_until 60 grep -q ready /tmp/opens
	rebind 0 2>/tmp/said.0 &
	first=$!
	rebind 1 2>/tmp/said.1 &
	ends_well "the second board binds each time" $!
	ends_well "the first one, too" $first
	exec 3>&-
	ends_well "each open gives the node's own board" $opens
	is "no name is taken twice" \
		"$(dmesg | grep -c 'cannot create duplicate filename')" 0
}

# The second board, alone, has the numbers that the first one had.
swap="echo zio-zero.0 >$driver/unbind; echo zio-zero.1 >$driver/unbind;
	echo zio-zero.1 >$driver/bind; test -c /dev/zio/zzero-0001-0-2-ctrl"

number()
{
	stat -c %t:%T "/dev/zio/zzero-000$1-0-2-ctrl"
}

zio-unload zio-zero
check "two boards" zio-load zio-zero ndev=2
test_both
check "fresh" zio-unload zio-zero
check "two boards" zio-load zio-zero ndev=2
before=$(number 0)
check "the node of a board that is gone" \
	node-minor stale /dev/zio/zzero-0000-0-2-ctrl "$swap"
is "another board has its number" "$(number 1)" "$before"
done_testing
