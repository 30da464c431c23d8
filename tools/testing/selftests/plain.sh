#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# not kasan: it compares values; basic.sh and splice.sh take the same ways
#
# Programs that take a node for a file: pread(), O_DIRECT, sendfile().
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000

check "the buffer loads" zio-load zio-buf-vmalloc
for type in kmalloc vmalloc; do
	check "fresh" sh -c 'zio-unload zio-zero && zio-load zio-zero'
	check "$type" write_file $cset0/current_buffer $type
	check "$type: pread, preadv, splice" node-plain read $node-0-2
	check "$type: O_DIRECT" node-plain direct $node-0-2
	check "$type: sendfile, copy_file_range" node-plain send $node-0-2
	check "$type: pwrite" node-plain write $node-1-0 \
		$zzero/cset1/chan0/statistics/bytes
done
check "dd with iflag=direct" dd if=$node-0-2-data of=/dev/null bs=100 count=3 \
	iflag=direct
done_testing
