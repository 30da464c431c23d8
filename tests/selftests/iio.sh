#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# model: iio-ramp
# kernel-module: industrialio-triggered-buffer
#
# zio-iio with a device whose samples are known.
. "${0%/*}/lib.sh"
. "${0%/*}/lib-iio.sh"

both=/sys/kernel/config/zio/triggers/hrt/both

plug()
{
	insmod "${0%/*}"/iio-ramp.ko "$@"
}

# The model has a second trigger, of this name.
long_name=ramp-trigger-whose-name-has-more-than-the-47-characters-of-a-channel

fire()
{
	echo "$1" >$ramp/fire
}

# counts COUNTER...: of set 0
counts()
{
	(cd $ziio/cset0 && cat "$@" | xargs)
}

test_refused()
{
	expect_errno "no IIO device is named" EINVAL make_iio a iio=
	expect_errno "an unknown IIO device" ENODEV make_iio a iio=nothing
	expect_errno "an unknown channel" EINVAL make_iio a iio=iio-ramp channels=temp,tump
	expect_errno "an unknown trigger" ENOENT make_iio a channels= trigger=nothing
	trigger=$(iio_of iio-ramp)/trigger/current_trigger
	echo ramp-trigger >"$trigger"
	expect_errno "an unknown trigger for a device that has one" ENOENT make_iio a
	is "the device keeps its trigger" "$(cat "$trigger")" ramp-trigger
	echo "$long_name" >"$trigger"
	check "a trigger of ZIO in place of one with a long name" make_iio a trigger=zio
	is "the ZIO device has the list of channels, and the link" \
		"$(cd $ziio && ls -d iio_channels iio | xargs)" "iio iio_channels"
	check "the ZIO device goes" write_file $config/a/live 0
	is "the device has its trigger again" "$(cat "$trigger")" "$long_name"
	echo >"$trigger"
	is "the log tells what is wrong" "$(dmesg | grep -o \
		'no channel "tump"\|not accept the trigger "nothing"\|no IIO device "nothing"' |
		sort -u | wc -l)" 3
	check "a device by its name" make_iio a trigger=
	expect_errno "the same IIO device again" EBUSY make_iio b iio=iio:device0
	is "its trigger is that of ZIO" "$(cat "$(iio_of iio-ramp)"/trigger/current_trigger)" \
		zio-iio:device0
	remove_iio a
	is "it has no trigger again" "$(cat "$(iio_of iio-ramp)"/trigger/current_trigger)" ""
	remove_iio b
}

# of_set CSET FILE...
of_set()
{
	dir=$ziio/cset$1
	shift
	(cd "$dir" && cat "$@" | xargs)
}

test_description()
{
	check "a device with a trigger of IIO" make_iio a iio=iio-ramp \
		trigger=ramp-trigger nsamples=4
	zio-links
	is "each scale has a set" "$(cat $ziio/cset*/name | xargs)" "voltage temp accel rot"
	is "channels have the names of IIO" "$(xargs <$ziio/iio_channels)" \
		"0 0 voltage0 0 1 voltage1 1 0 temp 2 0 accel_x 2 1 accel_y\
 3 0 rot_quaternion.0 3 1 rot_quaternion.1 3 2 rot_quaternion.2 3 3 rot_quaternion.3"
	for file in unit scale offset signed; do
		cat $ziio/cset*/chan0/$file | xargs
	done >/tmp/said
	is "units" "$(sed -n 1p /tmp/said)" "V degC m/s2 none"
	is "scales" "$(sed -n 2p /tmp/said)" "0.0005 0.5 0.00059855 1"
	is "offsets" "$(sed -n 3p /tmp/said)" "0 -5 0 0"
	is "signs" "$(sed -n 4p /tmp/said)" "0 1 1 1"
	is "bytes of a sample" "$(cat $ziio/cset*/ssize | xargs)" "2 1 2 4"
	is "other attributes are at the IIO device" "$(cat $ziio/iio/name)" iio-ramp
	is "the sets are transparent" "$(cat $ziio/cset*/current_trigger | sort -u)" transparent
}

time_of_next()
{
	next_control "$1" | awk '/time/ { print $2 }'
}

test_samples()
{
	fire 8
	next_control 0-0 >/tmp/said
	is "valid bits" "$(grep -c '(12 bits)' /tmp/said)" 1
	next_control 0-0 >/tmp/said
	is "a block of numbers with a sign" "$(samples 1-0 d1 4)" "0 -1 -2 -3"
	is "channels follow each other" "$(samples 2-0 d2 16)" "0 0 -1 1 -2 2 -3 3"
	is "elements are channels" "$(samples 3-0 d4 32)" "0 -1 2 -3 4 -5 6 -7"
	fire 4
	is "shifted, with bytes swapped" "$(samples 0-0 u2 16)" \
		"8 1008 9 1009 10 1010 11 1011"
}

test_mask()
{
	samples 2-0 d2 16 >/dev/null
	samples 2-0 d2 16 >/dev/null
	check "one of two channels" write_file $ziio/cset2/channels 2
	fire 4
	is "its samples" "$(samples 2-0 d2 8)" "12 13 14 15"
	write_file $ziio/cset2/channels 3
}

# Scan k has the time 1.7e9 s + k us. The clock of the block may be another one.
test_times()
{
	remove_iio a
	write_file $drivers/iio-ramp/unbind iio-ramp >/dev/null
	write_file $drivers/iio-ramp/bind iio-ramp >/dev/null
	make_iio a iio=iio-ramp trigger=ramp-trigger channels=temp,accel_x nsamples=4
	zio-links
	fire 8
	is "the time is that of the first scan" "$(time_of_next 0-0)" 1700000000.000000000
	is "the next time is 4 scans later" "$(time_of_next 0-0)" 1700000000.000004000
	is "each set has the time" "$(time_of_next 1-0)" 1700000000.000000000
	remove_iio a
	clock=$(iio_of iio-ramp)/current_timestamp_clock
	echo monotonic >"$clock"
	make_iio a iio=iio-ramp trigger=ramp-trigger channels=temp nsamples=4
	zio-links
	boot=$(($(date +%s) - $(cut -d. -f1 /proc/uptime)))
	fire 4
	is_between "a time by IIO's clock becomes one by ZIO's" \
		"$(time_of_next 0-0 | cut -d. -f1)" $((boot + 1699999998)) $((boot + 1700000002))
	remove_iio a
	echo realtime >"$clock"
}

# Scan k is made at 1.7e9 s + k us, and its stamp is late by up to 50 us.
test_late_times()
{
	write_file $drivers/iio-ramp/unbind iio-ramp >/dev/null
	write_file $drivers/iio-ramp/bind iio-ramp >/dev/null
	echo 1000000 >$ramp/rate
	echo 50000 >$ramp/late
	make_iio a iio=iio-ramp trigger=ramp-trigger channels=temp nsamples=100
	zio-links
	fire 100
	is "the first block has the rate" \
		"$(zio-dump -f json -n 1 ziio-0-0 | grep -c '"rate": *\[1000000, *1\]')" 1
	for i in $(seq 20); do
		fire 1600
		zio-dump -n 16 ziio-0-0
	done | sed -n 's/.*block \([0-9]*\):.*/\1/p;s/.*time *1700000000\.\([0-9]*\).*/1\1/p' |
		paste - - | awk '
		{ d = $2 - 1000000000 - $1 * 100000; d = d < 0 ? -d : d }
		NR > 100 && d > most { most = d }
		END { print NR, most + 0 }' >/tmp/said
	is_between "the time of a scan is exact though its stamp is late" \
		"$(sed -n 's/^320 //p' /tmp/said)" 0 5000
	print-control $node-0-0-ctrl >/tmp/said &
	fire 100
	wait $!
	is_between "the control tells how wrong it may be" \
		"$(sed -n 's/^trigger.std9=//p' /tmp/said)" 1000 20000
	is "and the rate" "$(cat $ziio/cset0/sample-rate)" 1000000
	echo 0 >$ramp/rate
	echo 0 >$ramp/late
	remove_iio a
}

test_losses()
{
	make_iio a iio=iio-ramp trigger=ramp-trigger channels=voltage0 nsamples=1
	zio-links
	is "one channel makes one set" "$(ls -d $ziio/cset* | wc -l)" 1
	fire 20
	is "16 blocks, and 4 scans without a block" "$(queued 0) $(counts missed gaps)" "16 4 0"
	first=$(samples 0-0 u2 2)
	fire 1
	for i in $(seq 15); do
		last=$(samples 0-0 u2 2)
	done
	is "the old blocks stay" "$((last - first))" 15
	zio-dump -n 1 ziio-0-0 >/tmp/said
	is "the next block has the alarm" "$(grep -c 'driver 0x01' /tmp/said)" 1
	is "the file has the alarm, too" "$(cat $ziio/cset0/chan0/alarms | xargs)" 0x0101
	is "four blocks are lost" "$(cat $ziio/cset0/chan0/statistics/lost_blocks)" 4
	remove_iio a
}

# Scans come faster than the reader is: it finds gaps, and the ramp tells how long they are.
test_order()
{
	make_iio a iio=iio-ramp trigger=ramp-trigger channels=voltage0 nsamples=2
	zio-links
	in-order $node-0-0 60 12 $ziio/cset0/missed >/tmp/said 2>&1 &
	reader=$!
	# One that has ended has no program, also before the shell knows.
	while [ -e /proc/$reader/exe ]; do
		fire 400
	done
	status=0
	wait $reader || status=$?
	is "each loss is told by the block behind it" $status 0
	diag "blocks, gaps, lost blocks: $(cat /tmp/said)"
	check "blocks were lost" grep -q '^60 [1-9]' /tmp/said
	remove_iio a
	# The next tests count scans from 0.
	write_file $drivers/iio-ramp/unbind iio-ramp >/dev/null
	write_file $drivers/iio-ramp/bind iio-ramp >/dev/null
}

test_rescale()
{
	make_iio a iio=iio-ramp trigger=ramp-trigger channels=accel_x nsamples=1
	zio-links
	echo 0.002 >$ziio/iio/in_accel_scale
	is "the scale of IIO has changed" "$(cat $ziio/cset0/chan0/scale)" 0.00059855
	check "ZIO reads it again" write_file $ziio/cset0/rescale 1
	is "the scale" "$(cat $ziio/cset0/chan0/scale)" 0.002
	echo 0.000598550 >$ziio/iio/in_accel_scale
	remove_iio a
}

# A block of N scans for each event
test_zio_trigger()
{
	make_iio a iio=iio-ramp trigger=zio channels=voltage0 nsamples=3
	zio-links
	is "a trigger of ZIO" "$(cat $ziio/cset0/current_trigger)" user
	set -- $(samples 0-0 u2 6)
	is "a read makes three scans" "$(($2 - $1)) $(($3 - $2))" "1 1"
	zio-load zio-trig-hrt
	mkdir $both
	# Otherwise the first set would have ticks that the other one has not.
	echo 0 >$both/enable
	echo 5 >$both/shots
	echo 20000000 >$both/period-ns
	echo both >$ziio/cset0/current_trigger
	echo both >$cset0/current_trigger
	echo 1 >$both/enable
	zio-dump -n 3 ziio-0-0 | awk '/time/ { print $2 }' >/tmp/times
	is "three blocks" "$(grep -c . /tmp/times)" 3
	zio-dump -n 100 zzero-0-0 >/tmp/others 2>/dev/null &
	reader=$!
	check "the time is that of a block of another board" wait_until 20 has_all
	[ $status -eq 0 ] || sed 's/^/# /' /tmp/times /tmp/others
	kill $reader 2>/dev/null
	wait $reader
	write_file $cset0/current_trigger user >/dev/null
	remove_iio a
	rmdir $both
}

has_all()
{
	[ "$(awk '/time/ { print $2 }' /tmp/others | grep -c -F -x -f /tmp/times)" = 3 ]
}

test_failures()
{
	make_iio a iio=iio-ramp trigger=zio channels=voltage0 nsamples=2
	zio-links
	echo 2 >$ramp/fail
	set -- $(samples 0-0 u2 4)
	is "the device fails twice, and the block is whole" "$(($2 - $1)) $(counts failed)" "1 2"
	is "the alarm" "$(cat $ziio/cset0/chan0/alarms | xargs)" 0x0400
	remove_iio a
}

test_separate()
{
	check "channels with blocks of their own" make_iio a iio=iio-ramp \
		trigger=ramp-trigger mode=separate nsamples=2
	zio-links
	is "a set for each size" "$(cat $ziio/cset*/ssize | xargs)" "2 1 4"
	is "channels of the first set" "$(cd $ziio/cset0 && echo chan*)" \
		"chan0 chan1 chan2 chan3"
	is "each has its unit" "$(cat $ziio/cset0/chan*/unit | xargs)" "V V m/s2 m/s2"
	is "each has its sign" "$(cat $ziio/cset0/chan*/signed | xargs)" "0 0 1 1"
	fire 2
	set -- $(samples 0-0 d2 4) $(samples 0-1 d2 4) $(samples 0-2 d2 4) $(samples 0-3 d2 4)
	k=$1
	is "samples of each channel" "$*" "$k $((k + 1)) $((k + 1000)) $((k + 1001)) \
$((-k)) $((-k - 1)) $k $((k + 1))"
	fire 2
	for i in 0 1 2 3; do
		time_of_next 0-$i
	done | sort -u >/tmp/said
	is "one time for all" "$(grep -c . /tmp/said)" 1
	remove_iio a
}

# A user of IIO enables a buffer of the same device.
test_beside_kfifo()
{
	make_iio a iio=iio-ramp trigger=ramp-trigger channels=voltage0 nsamples=4
	zio-links
	iio=$(iio_of iio-ramp)
	fire 2
	for file in "$iio"/scan_elements/*_en; do
		echo 1 >"$file"
	done
	echo 2 >"$iio"/buffer/length
	check "a buffer of IIO beside that of ZIO" write_file "$iio"/buffer/enable 1
	check "ZIO's comes first again" wait_until 20 has_gaps 2
	fire 6
	set -- $(samples 0-0 u2 4)
	is "the block before the gap has two samples" "$# $(($2 - $1))" "2 1"
	zio-dump -n 1 ziio-0-0 >/tmp/said
	is "the block behind it has the alarm" "$(grep -c 'driver 0x02' /tmp/said)" 1
	is "a full buffer of IIO takes no scan from ZIO" \
		"$(cat $ziio/cset0/chan0/statistics/blocks)" 2
	set -- $(dd if=/dev/"$(basename "$iio")" bs=64 count=1 2>/dev/null | od -An -tu1 | wc -w)
	is_between "IIO's reader gets scans" "$1" 16 64
	echo 0 >"$iio"/buffer/enable
	fire 4
	check "scans go on" wait_until 20 has_gaps 3
	remove_iio a
	for file in "$iio"/scan_elements/*_en; do
		echo 0 >"$file"
	done
}

# A user of IIO stops the device, which then does not start any more.
test_no_restart()
{
	make_iio a iio=iio-ramp trigger=ramp-trigger channels=voltage0 nsamples=4
	zio-links
	cat $node-0-0-data >/dev/null 2>/tmp/said &
	reader=$!
	check "a reader waits" wait_until 20 sh -c "ls -l /proc/$reader/fd | grep -q ziio"
	echo 1 >$ramp/refuse
	echo 1 >"$(iio_of iio-ramp)"/scan_elements/in_temp_en
	check_fails "a user of IIO stops it" write_file "$(iio_of iio-ramp)"/buffer/enable 1
	check "the reader does not wait any more" wait_until 20 test ! -e /proc/$reader/exe
	kill $reader 2>/dev/null
	wait $reader
	is "it gets EIO" "$(grep -c "Input/output error" /tmp/said)" 1
	is "so does the next one" \
		"$(timeout 20 cat $node-0-0-data 2>&1 >/dev/null |
			grep -c "Input/output error")" 1
	echo 0 >$ramp/refuse
	echo 0 >"$(iio_of iio-ramp)"/scan_elements/in_temp_en
	remove_iio a
	make_iio a iio=iio-ramp trigger=ramp-trigger channels=voltage0 nsamples=4
	zio-links
	fire 4
	set -- $(samples 0-0 u2 8)
	is "a new device has samples" "$#" 4
	remove_iio a
}

has_gaps()
{
	[ "$(cat $ziio/cset0/gaps)" -ge "$1" ]
}

# sleeping_reader: cat waits in a read of set 0
sleeping_reader()
{
	hold_node $node-0-0
	cat $node-0-0-data >/dev/null 2>/tmp/said &
	reader=$!
	wait_until 20 sh -c "ls -l /proc/$reader/fd | grep -q ziio"
}

test_gone()
{
	make_iio a iio=iio-ramp trigger=ramp-trigger
	zio-links
	sleeping_reader
	check "the IIO device is unbound" write_file $drivers/iio-ramp/unbind iio-ramp
	check "the ZIO device goes" wait_until 20 is_gone
	wait $reader
	is "the reader gets ENODEV" "$(grep -c "No such device" /tmp/said)" 1
	release_node
	write_file $drivers/iio-ramp/bind iio-ramp
	echo 0 >$config/a/live
	check "the IIO device comes back" write_file $config/a/live 1
	zio-links
	sleeping_reader
	check "the ZIO device is removed" write_file $config/a/live 0
	wait $reader
	is "the reader gets ENODEV" "$(grep -c "No such device" /tmp/said)" 1
	release_node
	remove_iio a
}

# Scans, readers, a user of IIO, and the end of the device, all at once. The trigger of the
# device stays: Linux crashes if a buffer is enabled while the trigger is changed. See
# "Faults of Linux" in support.md.
test_storm()
{
	iio=$(iio_of iio-ramp)
	echo ramp-trigger >"$iio"/trigger/current_trigger
	make_iio a iio=iio-ramp trigger=ramp-trigger nsamples=4
	zio-links
	echo 1 >"$iio"/scan_elements/in_temp_en
	(while echo 50 >$ramp/fire; do :; done) 2>/dev/null &
	firing=$!
	(while [ -e "$iio"/buffer/enable ]; do
		echo 1 >"$iio"/buffer/enable
		echo 0 >"$iio"/buffer/enable
	done) 2>/dev/null &
	toggling=$!
	for round in $(seq "${ZIO_STORM_ROUNDS:-6}"); do
		for i in 0 1 2 3; do
			cat $node-$i-0-data >/dev/null 2>&1 &
		done
		write_file $ziio/cset0/trigger/nsamples $((round + 1)) >/dev/null 2>&1
		write_file $ziio/cset1/channels 1 >/dev/null 2>&1
		wait_until 20 has_gaps 2
		echo 0 >$config/a/live
		echo 1 >$config/a/live
		zio-links
	done
	write_file $drivers/iio-ramp/unbind iio-ramp >/dev/null
	kill $firing 2>/dev/null
	wait $firing $toggling 2>/dev/null
	check "the device goes" wait_until 20 is_gone
	remove_iio a
	wait
	write_file $drivers/iio-ramp/bind iio-ramp >/dev/null
}

if ! [ -e /sys/bus/iio ]; then
	skip "IIO" "this kernel has none"
	done_testing
	exit 0
fi
zio-load zio-iio
plug
test_refused
test_description
test_samples
test_mask
test_times
test_late_times
test_losses
test_order
test_rescale
test_zio_trigger
test_failures
test_separate
test_beside_kfifo
test_no_restart
test_gone
test_storm
rmmod iio-ramp
check "the module is unloaded" zio-unload zio-iio
done_testing
