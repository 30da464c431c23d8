#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# host-root
# not kasan: the interpreter of the host takes minutes there
#
# The commands of zio that are Python, on real boards; save.sh has save and restore.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000

# dd reads meanwhile: top shows its rates.
test_top()
{
	dd if=$node-2-0-data of=/dev/null bs=64 2>/dev/null &
	child=$!
	gives 0 "top" zio top -i 0.3 -n 2 zzero-2-0
	is "top: two tables" "$(echo "$said" | grep -c CHANNEL)" 2
	gives 0 "top: JSON" zio top -j -i 0.3 --count 2 zzero-2-0
	is "top: JSON: two lines" "$(echo "$said" | wc -l)" 2
	says "top: JSON: a rate" '"blocks_per_s":[1-9][0-9]*\.'
	kill $child
	wait $child 2>/dev/null
}

# The driver is unloaded and loaded while top runs.
test_top_unplug()
{
	zio top -j -i 0.1 >/tmp/top 2>/tmp/err &
	child=$!
	check "top: the board is shown" wait_until 10 grep -q zzero-0000-0-0 /tmp/top
	zio-unload zio-zero
	check "top: no device" wait_until 10 sh -c \
		"tail -n 1 /tmp/top | grep -q '\"channels\":\\[\\]'"
	zio-load zio-zero
	check "top: the board is shown again" wait_until 10 sh -c \
		"tail -n 1 /tmp/top | grep -q zzero-0000-0-0"
	kill -INT $child
	wait $child
	is "top: Ctrl-C" $? 130
	is "top: no complaint" "$(cat /tmp/err)" ''
}

test_top
test_top_unplug
done_testing
