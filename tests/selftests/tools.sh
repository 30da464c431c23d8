#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# not kasan: it judges programs; map_test and life_test take the same ways
#
# zio-cat-file and zio-dump on real nodes, by each method.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000
set2=$zzero/cset2
driver=/sys/bus/platform/drivers/zio-zero

# The counter begins at 0; nothing is queued.
restart()
{
	zio-unload zio-zero && zio-load zio-zero &&
	for set in 0 1 2; do
		echo vmalloc >$zzero/cset$set/current_buffer || return
	done
}

# copy METHOD COUNT: copy blocks of the counter to /tmp/got
copy()
{
	zio-cat-file -m "$1" $node-2-0 "$2" 2>>/tmp/err >/tmp/got
}

# same_as_dd N: the copy is what dd has read
same_as_dd()
{
	head -c $(($1 * 64)) /tmp/wanted | cmp - /tmp/got
}

test_kmalloc()
{
	capture zio-cat-file -v $node-2-0 1
	case $said in
	*'method read'*) ok "kmalloc is read" ;;
	*) not_ok "kmalloc is read" "$said" ;;
	esac
	for tool in zio-cat-file zio-dump; do
		expect_errno "kmalloc: $tool: no ring" EOPNOTSUPP \
			$tool --method ring $node-2-0
		is "kmalloc: $tool: no ring: status" $status 3
	done
}

# Each method reads what dd reads from the same counter.
test_same()
{
	check "restart for dd" restart
	dd if=$node-2-0-data of=/tmp/wanted bs=64 count=1000 2>/dev/null
	head -c 3200 /tmp/wanted | od -An -v -w4 -td4 | tr -d ' ' >/tmp/numbers
	for method in auto ring read; do
		: >/tmp/err
		for n in 7 20 1 972; do
			check "$method: restart" restart
			check "$method: $n blocks" copy $method $n
			check "$method: $n blocks as dd has them" same_as_dd $n
		done
		is "$method: zio-cat-file reports no loss" "$(grep lost /tmp/err)" ''
		check "$method: restart for zio-dump" restart
		zio-dump --method $method -n 50 -j $node-2-0 >/tmp/json
		sed 's/.*"data":\[\(.*\)\].*/\1/' /tmp/json | tr , '\n' >/tmp/got
		check "$method: zio-dump shows them" cmp /tmp/got /tmp/numbers
		zio-dump --method $method -n 40 -j $node-2-0 >>/tmp/json
		is "$method: the numbers continue in the next run" "$(sed \
			's/.*"seq":\([0-9]*\).*/\1/' /tmp/json | xargs)" "$(seq 0 89 | xargs)"
	done
	capture zio-cat-file -v $node-2-0 1
	is "the ring is preferred" "$(echo "$said" | grep -c 'method ring')" 1
}

# start METHOD: read a disabled channel in the background
start()
{
	echo 0 >$set2/chan0/enable
	start_program zio-cat-file -v -m "$1" $node-2-0
}

# finish TEXT STATUS MESSAGE: the program of start() ended with this
finish()
{
	end_program "$@"
	[ ! -e $set2 ] || echo 1 >$set2/chan0/enable
}

test_signals()
{
	for method in ring read; do
		check "signals: restart" restart
		start $method
		kill -INT $child
		finish "$method: Ctrl-C" 130 ': 0 blocks'
		start $method
		echo 1 >$set2/chan0/enable
		check "$method: blocks come" wait_until 10 test -s /tmp/got
		kill -TERM $child
		finish "$method: SIGTERM" 143 ': [1-9][0-9]* blocks'
	done
}

test_gone()
{
	for method in ring read; do
		check "$method: restart" restart
		start $method
		echo zio-zero.0 >$driver/unbind
		finish "$method: unbind" 1 'device is gone'
		echo zio-zero.0 >$driver/bind
	done
}

test_two()
{
	check "two: restart" restart
	start ring
	expect_errno "two: a second ring" EBUSY zio-cat-file -m ring $node-2-0 1
	is "two: a second ring: status" $status 3
	expect_errno "two: the second reader falls back and gets EBUSY" EBUSY \
		zio-cat-file $node-2-0 1
	is "two: the status of the second reader" $status 1
	expect_errno "two: zio-dump gets EBUSY" EBUSY zio-dump $node-2-0
	kill -INT $child
	finish "two: the first ends" 130 ': 0 blocks'
	check "two: a second ring after the first one" zio-cat-file -m ring $node-2-0 1
}

tap_has()
{
	[ "$(wc -c </tmp/tap)" -eq "$1" ]
}

# A tap shows each block that a reader takes, and the reader gets all.
test_tap()
{
	check "tap: restart" restart
	zio-cat-file --tap $node-2-0 5 >/tmp/tap 2>/tmp/err &
	child=$!
	check "tap: it is open" wait_until 10 \
		grep -q 1 $set2/chan0/statistics/taps
	: >/tmp/got
	for n in 1 2 3 4 5; do
		zio-cat-file -m read $node-2-0 1 >>/tmp/got 2>/dev/null
		check "tap: it shows block $n" wait_until 10 tap_has $((64 * n))
	done
	status=0
	wait $child || status=$?
	is "tap: status" $status 0
	check "tap: both have the same" cmp /tmp/tap /tmp/got
	check "tap: which the reader has from the counter" same_as_dd 5
	is "tap: no loss" "$(grep lost /tmp/err)" ''
}

test_kmalloc
check "the buffer loads" zio-load zio-buf-vmalloc
test_same
test_signals
test_gone
test_two
test_tap
done_testing
