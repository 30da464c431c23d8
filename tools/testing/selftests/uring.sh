#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# leaks
# rt
#
# io_uring is served at once, or by way of poll, and never by a worker; libaio.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000
in=$node-2-0
switches='cset2/chan0/enable cset2/trigger/enable'
driver=/sys/bus/platform/drivers/zio-zero

# One test on a fresh device; to load the driver anew takes five times as long.
try()
{
	[ ! -e $zzero ] || echo zio-zero.0 >$driver/unbind
	echo zio-zero.0 >$driver/bind
	check "$@"
}

# A ring that was closed lets go of its files later.
check_let_go()
{
	check "$1 lets go of its files" wait_until 10 rmmod zio-zero
	zio-load zio-zero
}

test_read()
{
	for op in READ READ_FIXED READV; do
		try "$op of data" node-uring data $in $op
		try "$op of controls" node-uring ctrl $in $op
	done
	for kind in data ctrl; do
		try "POLL_ADD of $kind" node-uring poll $in $kind
	done
	for op in WRITE WRITE_FIXED WRITEV; do
		try "$op, and $op that waits" node-uring output $node-1-0 $op \
			$zzero/cset1/trigger/enable
	done
}

# test_waiting KIND SWITCH
test_waiting()
{
	try "POLL_ADD of $1 waits without $2" \
		node-uring polled $in "$1" "$zzero/$2"
	for op in READ READ_FIXED READV; do
		try "$op of $1 waits without $2" \
			node-uring pending $in "$1" $op "$zzero/$2"
	done
}

test_end()
{
	switch=$zzero/cset2/trigger/enable
	for op in READ READ_FIXED; do
		for kind in data ctrl; do
			try "$op of $kind, cancelled" \
				node-uring cancel $in $kind $op $switch
			try "$op of $kind, and the board goes" \
				node-uring unbind $in $kind $op $switch \
				$driver/unbind zio-zero.0
		done
		try "$op, and the ring is closed" \
			node-uring close $in $op $switch
		check_let_go "a closed ring"
		try "$op, and the process is killed" \
			node-uring killed $in $op $switch
		check_let_go "a killed process"
	done
}

test_aio()
{
	try "libaio" node-uring aio $in $zzero/cset2/trigger/enable
	for kind in data ctrl; do
		try "libaio waits for $kind" node-uring aio-poll $in $kind \
			$zzero/cset2/trigger/enable
	done
}

test_aio
status=0
node-uring probe || status=$?
if [ $status -eq 4 ]; then
	skip "io_uring" "this kernel has none"
	done_testing
fi
try "a read that is forced on a worker shows one" node-uring forced $in READ
test_read
for switch in $switches; do
	test_waiting data $switch
	test_waiting ctrl $switch
done
test_end
done_testing
