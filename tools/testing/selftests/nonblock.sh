#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# not kasan: it compares values; uring.sh and life.sh wait in the same places
#
# Waiting, not waiting, and being interrupted while waiting.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000

# One test on a fresh device, which a failed one may have left in any state.
try()
{
	zio-unload zio-zero && zio-load zio-zero
	check "$@"
}

for switch in cset2/chan0/enable cset2/trigger/enable cset2/enable; do
	try "O_NONBLOCK without $switch" \
		node-wait nonblock $node-2-0 $zzero/$switch
	try "RWF_NOWAIT without $switch" \
		node-wait nowait $node-2-0 $zzero/$switch
	try "select and epoll without $switch" \
		node-wait epoll $node-2-0 $zzero/$switch
	try "signals without $switch" \
		node-wait signal $node-2-0 $zzero/$switch
done
for chan in 0-0 0-2 2-0; do
	try "poll has no effect on $chan" node-wait poll $node-$chan
done
try "output waits for room" node-wait output $node-1-0 $zzero/cset1/enable
try "a poll hears of room" node-wait room $node-1-0 $zzero/cset1/enable
try "a poll hears of a block left" node-wait left $node-2-0 $zzero/cset2/enable
zio-unload zio-zero && zio-load zio-zero
check "a control that was read has its data" \
	node-pair pairs $node-2-0 $zzero/cset2/trigger/post-samples 3000
done_testing
