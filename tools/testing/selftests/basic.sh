#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# not kasan: it compares values; map.sh, change.sh and life.sh take the same ways
#
# The main road: nodes, sysfs, data and controls of zio-zero.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000

# field NAME: of the control in $control
field()
{
	printf '%s\n' "$control" | sed -n "s/^$1=//p"
}

take_control()
{
	control=$(node-basic control "$node-$1-ctrl")
}

statistic()
{
	cat "$zzero/cset$1/chan$2/statistics/$3"
}

test_nodes()
{
	is "ten nodes" "$(ls /dev/zio | grep -c zzero)" 10
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
	is "the class knows them all" "$(ls /sys/class/zio | wc -l)" 10
}

files_of()
{
	(cd "$1" && find . -type f | grep -v -e /uevent -e /power/ -e '/zio/' |
		sort)
}

chan_files="address alarms buffer/allocated-buffer-len
buffer/max-buffer-len buffer/name buffer/prefer-new
buffer/queued-buffer-len buffer/watermark
current-control enable name statistics/blocks statistics/bytes
statistics/lost_blocks"
input_files="statistics/lent-blocks statistics/lent-bytes statistics/lent-to
statistics/merged"
cset_files="current_buffer current_trigger direction enable name ssize
statistics/fired statistics/io_errors statistics/lost_triggers timeout-ms
trigger/clock trigger/enable
trigger/name trigger/nsamples trigger/nshots trigger/post-samples
trigger/pre-samples"

test_sysfs()
{
	for chan in cset0/chan0 cset0/chan1 cset0/chan2; do
		is "files of $chan" "$(files_of $zzero/$chan)" \
			"$(printf './%s\n' $chan_files $input_files | sort)"
	done
	is "files of cset1/chan0" "$(files_of $zzero/cset1/chan0)" \
		"$(printf './%s\n' $chan_files buffer/source statistics/copied \
		statistics/copied-bytes statistics/route-lost \
		statistics/shared | sort)"
	is "files of cset2/chan0" "$(files_of $zzero/cset2/chan0)" \
		"$(printf './%s\n' $chan_files gain-factor offset sequence \
		$input_files | sort)"
	is "files of cset1" "$(files_of $zzero/cset1 | grep -v /chan)" \
		"$(printf './%s\n' $cset_files | sort)"
	is "sets" "$(cd $zzero && echo cset*)" "cset0 cset1 cset2"
	is "channels" "$(cd $cset0 && echo chan*)" "chan0 chan1 chan2"
	is "version" "$(cat /sys/bus/zio/version)" 1.4
	is "buffers" "$(cat /sys/bus/zio/available_buffers)" kmalloc
	is "triggers" "$(xargs </sys/bus/zio/available_triggers)" \
		"user transparent"
	for file in $(find $zzero/cset* -type f ! -name uevent); do
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

test_control()
{
	take_control 2-0
	is "first block has number 0" "$(field seq)" 0
	is "version in the control" "$(field version)" 1.4
	is "nsamples in the control" "$(field nsamples)" 16
	is "ssize in the control" "$(field ssize)" 4
	is "nbits in the control" "$(field nbits)" 32
	is "address in the control" "$(field address)" zzero-0000-2-0
	is "trigger in the control" "$(field trigger)" user
	is "no alarms" "$(field alarms) $(field drv_alarms)" "0 0"
	is "flags: little endian, aligned low" "$(field flags)" 0x1000009
	is "mask of trigger attributes" "$(field trigger.std_mask)" 0x7
	is "nshots" "$(field trigger.std0)" 1
	is "post-samples" "$(field trigger.std1)" 16
	is "pre-samples" "$(field trigger.std2)" 0
	is "mask of channel attributes" "$(field channel.std_mask)" 0x6
	is "mask of extended attributes" "$(field channel.ext_mask)" 0x1
	now=$(date +%s)
	is_between "time stamp" "$(field secs)" $((now - 600)) "$now"
	# The block of a reader that has gone is the next one's.
	dd if=$node-2-0-data of=/dev/null bs=64 count=1 2>/dev/null
	take_control 2-0
	is "the numbers go on" "$(field seq)" 1
	dd if=$node-2-0-data of=/dev/null bs=64 count=1 2>/dev/null
	take_control 0-1
	is "another channel" "$(field address) $(field ssize)" "zzero-0000-0-1 1"
}

test_attributes()
{
	chan=$zzero/cset2/chan0
	is "gain at the start" "$(cat $chan/gain-factor)" 1000
	echo 2500 >$chan/gain-factor
	echo 7 >$chan/offset
	echo 1000 >$chan/sequence
	is "gain reads back" "$(cat $chan/gain-factor)" 2500
	is "offset reads back" "$(cat $chan/offset)" 7
	is "sequence reads back" "$(cat $chan/sequence)" 1000
	take_control 2-0
	is "gain in the control" "$(field channel.std1)" 2500
	is "offset in the control" "$(field channel.std2)" 7
	is "sequence in the control" "$(field channel.ext0)" 1000
	is "the data follow" "$(dd if=$node-2-0-data bs=8 count=1 2>/dev/null |
		od -An -td4 | tr -s ' ')" " 2507 2509"
}

test_data()
{
	is "zeros" "$(dd if=$node-0-0-data bs=64 count=4 2>/dev/null |
		tr -d '\0' | wc -c)" 0
	is "random bytes are not all the same" \
		"$(dd if=$node-0-1-data bs=64 count=1 2>/dev/null |
		od -An -v -tu1 -w1 | sort -u | wc -l | sed 's/..*/many/')" many
	echo 0 >$cset0/chan0/enable
	echo 0 >$cset0/chan1/enable
	for size in 1 3 7 15 16 17 1000 60000; do
		check "sawtooth in reads of $size" \
			node-basic sawtooth $node-0-2-data $size
	done
	check "readv" node-basic vectors $node-0-2-data
	is "a block less at the end" "$(dd if=$node-0-2-data bs=1000 count=3 \
		2>/dev/null | wc -c)" 3000
	echo 1 >$cset0/chan0/enable
	echo 1 >$cset0/chan1/enable
}

test_pairs()
{
	check "control and data belong together" node-basic pairing $node-2-0
	check "in two processes, too" node-basic pairing2 $node-2-0
	check "a control lets go of unread data" node-basic skip $node-2-0
	zio-unload zio-zero && zio-load zio-zero
	check "data alone go over the ends of blocks" \
		node-basic dataonly $node-0-0 $node-0-2
	zio-unload zio-zero && zio-load zio-zero
	check "several controls in one read" node-basic batch $node-0-0 $node-0-2
}

test_output()
{
	dd if=/dev/zero of=$node-1-0-data bs=16 count=10 2>/dev/null
	is "10 blocks out" "$(statistic 1 0 blocks)" 10
	is "160 bytes out" "$(statistic 1 0 bytes)" 160
	dd if=/dev/zero of=$node-1-0-data bs=160 count=1 2>/dev/null
	is "one write of 10 blocks" "$(statistic 1 0 blocks)" 20
	dd if=/dev/zero of=$node-1-0-data bs=7 count=3 2>/dev/null
	is "short block at close" "$(statistic 1 0 blocks)" 22
	is "its bytes" "$(statistic 1 0 bytes)" 341
	check "control of 5 samples, then data" node-basic output $node-1-0 5
	is "a block of 5" "$(statistic 1 0 blocks) $(statistic 1 0 bytes)" \
		"23 346"
	is "nothing lost" "$(statistic 1 0 lost_blocks)" 0
	is "fired as often" "$(cat $zzero/cset1/statistics/fired)" 23
}

test_nodes
test_sysfs
test_values
test_control
test_attributes
test_data
zio-unload zio-zero && zio-load zio-zero
test_pairs
test_output
done_testing
