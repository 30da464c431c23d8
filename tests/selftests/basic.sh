#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# not kasan: it compares values; map_test, change_test and life_test take the same ways
#
# Nodes and files of sysfs that zio-zero has, their modes and their values.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000

test_nodes()
{
	is "eleven nodes" "$(ls /dev/zio | grep -c zzero)" 11
	for chan in 0-0 0-1 0-2 2-0; do
		is "mode of $chan-data" "$(stat -c '%F %a' $node-$chan-data)" \
			"character special file 440"
		is "mode of $chan-ctrl" "$(stat -c '%F %a' $node-$chan-ctrl)" \
			"character special file 660"
	done
	for kind in ctrl data; do
		is "mode of 1-0-$kind" "$(stat -c '%F %a' $node-1-0-$kind)" \
			"character special file 660"
	done
	is "all nodes are in the class" "$(ls /sys/class/zio | wc -l)" 11
	check "the short name exists" test -c /dev/zzero-0-1-data
	# udev makes the two short names one after the other.
	mv /dev/zzero-0-1-ctrl /tmp
	check "a program finds the channel by one short name" zio-cat-file /dev/zzero-0-1-data 1
	mv /tmp/zzero-0-1-ctrl /dev
}

files_of()
{
	(cd "$1" && find . -type f | grep -v -e /uevent -e /power/ -e '/zio/' |
		sort)
}

chan_files="address alarms buffer/allocated-buffer-len
buffer/max-buffer-len buffer/name buffer/prefer-new
buffer/queued-buffer-len buffer/watermark
control-attrs current-control enable name statistics/blocks statistics/bytes
statistics/lost_blocks type"
scale_files="offset scale signed unit"
input_files="flush statistics/flushed statistics/taps"
cset_files="accepted current_buffer current_trigger direction enable name ssize
statistics/fired statistics/io_errors statistics/lost_triggers timeout-ms
trigger/clock trigger/clock-source trigger/control-attrs trigger/enable
trigger/name trigger/nsamples trigger/nshots trigger/post-samples
trigger/pre-samples"

test_sysfs()
{
	for chan in cset0/chan0 cset0/chan1 cset0/chan2; do
		is "files of $chan" "$(files_of $zzero/$chan)" \
			"$(printf './%s\n' $chan_files $scale_files $input_files | sort)"
	done
	is "files of cset1/chan0" "$(files_of $zzero/cset1/chan0)" \
		"$(printf './%s\n' $chan_files $scale_files buffer/source statistics/copied \
		statistics/copied-bytes statistics/route-lost \
		statistics/shared | sort)"
	is "files of cset2/chan0" "$(files_of $zzero/cset2/chan0)" \
		"$(printf './%s\n' $chan_files gain-factor offset sequence \
		$input_files | sort)"
	is "files of cset1" "$(files_of $zzero/cset1 | grep -v /chan)" \
		"$(printf './%s\n' $cset_files | sort)"
	is "sets of the board" "$(cd $zzero && echo cset*)" "cset0 cset1 cset2"
	is "channels of cset0" "$(cd $cset0 && echo chan*)" "chan0 chan1 chan2"
	is "version of the core" "$(cat /sys/bus/zio/version)" 1.5
	is "available buffers" "$(cat /sys/bus/zio/available_buffers)" kmalloc
	is "available triggers" "$(xargs </sys/bus/zio/available_triggers)" \
		"user transparent"
	for file in $(find $zzero/cset* -type f ! -name uevent ! -name flush); do
		check "readable: ${file#$zzero/}" dd if="$file" of=/dev/null
	done
}

test_values()
{
	is "direction of cset0" "$(cat $cset0/direction)" input
	is "direction of cset1" "$(cat $zzero/cset1/direction)" output
	is "ssize of cset0" "$(cat $cset0/ssize)" 1
	is "ssize of cset2" "$(cat $zzero/cset2/ssize)" 4
	is "current buffer" "$(cat $cset0/current_buffer)" kmalloc
	is "current trigger" "$(cat $cset0/current_trigger)" user
	is "nsamples" "$(cat $cset0/trigger/nsamples)" 16
	is "address" "$(cat $cset0/chan1/address)" zzero-0000-0-1
	is "current-control has 512 bytes" \
		"$(wc -c <$cset0/chan1/current-control)" 512
	for path in zzero zzero-0000; do
		check "/sys/zio/devices/$path is the device" test \
			"$(readlink -f /sys/zio/devices/$path)" = \
			"$(readlink -f $zzero)"
	done
}

test_nodes
test_sysfs
test_values
done_testing
