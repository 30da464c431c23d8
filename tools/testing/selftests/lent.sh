#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# leaks
#
# Memory that pipes and sockets keep: it is shown, and comes back. The modules of the
# core and of the buffer type stay as long as a pipe needs them, and no longer.
. "${0%/*}/lib.sh"

cset2=$zzero/cset2
node=/dev/zio/zzero-0000-2-0

fresh()
{
	echo 4096 >$cset2/trigger/nsamples &&
	echo vmalloc >$cset2/current_buffer
}

check "the buffer loads" zio-load zio-buf-vmalloc
check "fresh" fresh
check "pipes" node-lent pipes $node $cset2/chan0
check "a socket" node-lent socket $node $cset2/chan0
check "the buffer is replaced" node-lent replaced $node $cset2/chan0 \
	$cset2/current_buffer

# The pipe of this process has the pages when all else has gone.
mkfifo /tmp/pages
exec 8<>/tmp/pages
check "pages go into a pipe" node-splice into $node /tmp/pages
check "the driver goes" zio-unload zio-zero
rmmod zio-buf-kmalloc
is "the pipe holds the buffer" "$(cat /sys/module/zio_buf_vmalloc/refcnt)" 1
check_fails "whose type stays" rmmod zio-buf-vmalloc
is "the pipe and the type hold the core" "$(cat /sys/module/zio/refcnt)" 2
exec 8<&-
is "until the pipe goes" "$(cat /sys/module/zio/refcnt)" 1
check "and the type goes" rmmod zio-buf-vmalloc
check "and the core goes, too" rmmod zio
done_testing
