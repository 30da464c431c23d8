#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# leaks
#
# Mappings that grow, move, are split, dropped, forked, private.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000
kb=$cset0/chan1/buffer/max-buffer-kb

fresh()
{
	zio-unload zio-zero && zio-load zio-zero &&
	echo vmalloc >$cset0/current_buffer &&
	echo vmalloc >$zzero/cset1/current_buffer &&
	echo 4096 >$cset0/trigger/nsamples
}

check "the buffer loads" zio-load zio-buf-vmalloc
check "fresh" fresh
check "a mapping grows" node-remap grow $node-0-1 128
check "fresh" fresh
check "pages that were given up come again" node-remap drop $node-0-1 128
check "fresh" fresh
check "each piece of a mapping counts" node-remap count $node-0-1 128 $kb 64
is "another area" "$(cat $kb)" 64
check "fresh" fresh
check "a private mapping may be written" node-remap private $node-0-1 128
check "fresh" fresh
check "header and slots keep their rules" node-remap ring $node-0-1
check "an output's mapping grows" node-remap output $node-1-0 128
done_testing
