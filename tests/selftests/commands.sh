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

# The host may have no gnuplot: the test checks the script.
test_plot()
{
	gives 0 "plot: script" zio plot --script -n 1 -b 2 zzero-2-0
	is "plot: samples" "$(echo "$said" | sed -n '/^\$zio/,/^EOD/p' |
		grep -c '^[0-9]')" 32
	is "plot: the counter counts" "$(echo "$said" |
		sed -n '/^\$zio/,/^EOD/s/^[0-9]* //p' | sed '1d' |
		awk 'NR > 1 && $1 != last + 1 { bad++ } { last = $1 }
		END { print bad + 0 }')" 0
	gives 3 "plot: an output" zio plot zzero-1-0
	gives 3 "plot: no channel" zio plot nonsense-0-0
}

# The driver has filled a queue that nobody reads: no block comes to a tap.
test_silence()
{
	echo transparent >/sys/bus/zio/devices/zzero-0000/cset2/current_trigger
	zio plot --script -n 1 zzero-2-0 >/tmp/got 2>/tmp/err &
	check "plot: no block: it says so" wait_until 60 grep -q \
		'zzero-2-0: no new block for 5 s (old ones wait' /tmp/err
	zio flush zzero-2-0
	wait $!
	is "plot: and shows the block that comes" $? 0
	echo user >/sys/bus/zio/devices/zzero-0000/cset2/current_trigger
}

test_top
test_top_unplug
test_plot
test_silence
done_testing
