#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# leaks
# rt
#
# splice() of the data of an input: by reference where the buffer has an area.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000-2-0
cset2=$zzero/cset2
chan=$cset2/chan0
driver=/sys/bus/platform/drivers/zio-zero

# The samples count from 0, in blocks of four pages.
fresh()
{
	zio-unload zio-zero && zio-load zio-zero &&
	echo 4096 >$cset2/trigger/nsamples &&
	echo "${1-vmalloc}" >$cset2/current_buffer
}

# one TEXT COMMAND...: with a fresh device, and all of it gone afterwards
one()
{
	check "fresh" fresh
	check "$@"
}

check "the buffer loads" zio-load zio-buf-vmalloc
check "fresh, kmalloc" fresh kmalloc
check "kmalloc is copied" node-splice none $node
one "a block in a pipe is lent" node-splice lent $node \
	$chan/buffer/max-buffer-kb
one "what is mapped is copied" node-splice copied $node
one "pieces of any length" node-splice model $node
one "tee" node-splice twice $node
one "all memory in one's own pipe" node-splice full $node
one "all memory in a pipe for ever" node-splice idle $node \
	$chan/statistics/lost_blocks
one "the file is closed, the buffer changed" \
	node-splice closed $node $cset2/current_buffer
one "half a block" node-splice half $node
one "a ring" node-splice ring $node
one "the method of libzio" node-splice method $node
one "the board goes" node-splice gone $node $driver/unbind $driver/bind \
	zio-zero.0
one "the one with the pipe is killed" node-splice killed $node 30
ip link set lo up 2>/dev/null || ifconfig lo 127.0.0.1
one "a local socket" node-splice unix $node
one "a TCP socket" node-splice tcp $node
one "vmsplice and MSG_ZEROCOPY of what is mapped" node-splice mapped $node
is "no module is held" "$(zio-unload zio-zero && zio-unload zio-buf-vmalloc &&
	cat /sys/module/zio/refcnt)" 1
done_testing
