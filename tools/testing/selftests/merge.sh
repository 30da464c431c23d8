#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# merge-data: neighbouring blocks of a stream are read as one.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000
chan2=$cset0/chan2

fresh()
{
	zio-unload zio-zero && zio-load zio-zero &&
	echo 0 >$cset0/chan1/enable &&
	echo "$1" >$cset0/trigger/nsamples &&
	echo vmalloc >$cset0/current_buffer &&
	echo 1 >$chan2/buffer/merge-data
}

# stream NSAMPLES LEAST: at least so many blocks are merged
stream()
{
	check "fresh for $1 samples" fresh "$1"
	check "$1 samples" node-merge stream $node-0-2 $node-0-0-data "$1" \
		$chan2/statistics $cset0/trigger/enable
	is_between "$1 samples: merged" "$said" "$2" 1000000
}

check "the buffer loads" zio-load zio-buf-vmalloc
check_fails "kmalloc has none of it" test -e $chan2/buffer/merge-data
check "vmalloc" write_file $cset0/current_buffer vmalloc
check "vmalloc" write_file $zzero/cset1/current_buffer vmalloc
check_fails "an output has none" test -e $zzero/cset1/chan0/buffer/merge-data
check_fails "nor a count" test -e $zzero/cset1/chan0/statistics/merged
is "off at the start" "$(cat $chan2/buffer/merge-data)" 0
for value in 2 -1 yes ''; do
	expect_write_errno "merge-data '$value'" EINVAL \
		$chan2/buffer/merge-data "$value"
done
expect_write_errno "merge-data 2^32" ERANGE $chan2/buffer/merge-data 4294967296

stream 16 10000
stream 1000 10000
stream 8192 500
stream 65536 0
is "blocks of half the area are not merged" "$said" 0
# Memory begins at multiples of 8: there is a hole behind these.
stream 13 0
is "blocks that do not touch are not merged" "$said" 0

check "fresh" fresh 16
check "half of the blocks become one" \
	node-merge one $node-0-2 $node-0-0-data 128
check "fresh" fresh 16
check "a ring shows each block" node-merge each $node-0-2 $node-0-0-data
check "another buffer" write_file $cset0/current_buffer kmalloc
check "and back" write_file $cset0/current_buffer vmalloc
is "off again" "$(cat $chan2/buffer/merge-data)" 0
done_testing
