#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kasan
# model: iio-slow
# kernel-module: industrialio-triggered-buffer
#
# zio-iio with a device that has no buffer: the mode "read".
. "${0%/*}/lib.sh"
. "${0%/*}/lib-iio.sh"

slow=/sys/module/iio_slow/parameters

plug()
{
	write_file $drivers/iio-slow/bind iio-slow
}

unplug()
{
	write_file $drivers/iio-slow/unbind iio-slow
}

# said_in_log TEXT
said_in_log()
{
	dmesg | grep -q "$1"
}

# make_reader ATTRIBUTE=VALUE...
make_reader()
{
	check "a device in the mode \"read\"" make_iio a iio=iio-slow mode=read "$@"
	zio-links
}

test_refused()
{
	expect_errno "a device without a buffer" EINVAL make_iio a iio=iio-slow
	check "the log tells what helps" said_in_log 'no channel for a buffer: try the mode "read"'
	expect_errno "a channel without a value" EOPNOTSUPP make_iio a mode=read \
		channels=voltage0,proximity
	check "the log names it" said_in_log 'proximity has no value'
	expect_errno "an unknown channel" EINVAL make_iio a channels=voltage7
	check "the log names it" said_in_log 'no channel "voltage7" to read'
	expect_errno "a trigger of IIO" EINVAL make_iio a channels= trigger=zio
	remove_iio a
}

test_description()
{
	make_reader nsamples=3
	is "each scale has a set" "$(cat $ziio/cset*/name | xargs)" "voltage temp humidityrelative"
	is "channels have the names of IIO" "$(xargs <$ziio/iio_channels)" \
		"0 0 voltage0 0 1 voltage1 1 0 temp 2 0 humidityrelative"
	for file in unit scale offset signed; do
		cat $ziio/cset*/chan0/$file | xargs
	done >/tmp/said
	is "units" "$(sed -n 1p /tmp/said)" "V degC %"
	is "scales" "$(sed -n 2p /tmp/said)" "0.002 0.5 0.000000000001"
	is "offsets" "$(sed -n 3p /tmp/said)" "0 -5 0"
	is "signs" "$(sed -n 4p /tmp/said)" "1 1 1"
	is "bytes of a sample" "$(cat $ziio/cset*/ssize | xargs)" "4 4 8"
	is "a read makes the scans" "$(cat $ziio/cset*/current_trigger | sort -u)" user
	check "the log tells which channel is left out" said_in_log \
		'proximity has no value that ZIO could read$'
	is "no scan is made before" "$(cat $slow/count)" 0
}

test_samples()
{
	is "scans follow each other" "$(samples 0-0 d4 24)" "0 1000 1 1001 2 1002"
	check "one of two channels" write_file $ziio/cset0/channels 2
	is "the other one is not read" "$(samples 0-0 d4 12)" "1002 1002 1002"
	is "another set" "$(samples 1-0 d4 12)" "-3 -4 -5"
	is "a processed value" "$(samples 2-0 d8 8)" 50250000000
	remove_iio a
}

uptime_cs()
{
	tr -d . </proc/uptime | cut -d' ' -f1
}

test_rate()
{
	echo 0 >$slow/count
	make_reader channels=voltage0 nsamples=5
	expect_write_errno "a rate that no chip has" ERANGE $ziio/cset0/sample-rate 10001
	is "scans have no rate" "$(cat $ziio/cset0/sample-rate)" 0
	check "ten scans per second" write_file $ziio/cset0/sample-rate 10
	is "the rate" "$(cat $ziio/cset0/sample-rate)" 10
	before=$(uptime_cs)
	is "five scans" "$(samples 0-0 d4 20)" "0 1 2 3 4"
	is_between "take the time of four periods" $(($(uptime_cs) - before)) 39 1000
	write_file $ziio/cset0/current_trigger transparent >/dev/null
	zio-dump -f json -n 3 ziio-0-0 >/tmp/said
	is "the control has the rate" "$(grep -c '"rate": *\[10, *1\]' /tmp/said)" 3
	remove_iio a
}

test_too_fast()
{
	make_reader channels=voltage0 nsamples=4
	echo 30000 >$slow/delay
	write_file $ziio/cset0/sample-rate 100 >/dev/null
	write_file $ziio/cset0/current_trigger transparent >/dev/null
	check "a chip that is slower than the rate misses scans" wait_until 20 has_missed 10
	zio-dump -n 3 ziio-0-0 >/tmp/said
	check "the next block has the alarm" grep -q 'driver 0x01' /tmp/said
	is_between "lost blocks" "$(cat $ziio/cset0/chan0/statistics/lost_blocks)" 2 1000000
	write_file $ziio/cset0/enable 0 >/dev/null
	echo 0 >$slow/delay
	remove_iio a
}

has_missed()
{
	[ "$(cat $ziio/cset0/missed)" -ge "$1" ]
}

test_trigger()
{
	echo 0 >$slow/count
	make_reader channels=voltage0 nsamples=1
	zio-load zio-trig-sysfs
	both=/sys/kernel/config/zio/triggers/sysfs/both
	mkdir $both
	write_file $ziio/cset0/current_trigger both >/dev/null
	write_file $cset0/current_trigger both >/dev/null
	echo 1 >$both/fire
	check "an event of a shared trigger gives a block" wait_until 20 has_block
	is "of one scan" "$(cat $slow/count)" 1
	is "both boards have its time" "$({ next_control 0-0; zio-dump -n 1 zzero-0-0; } |
		awk '/time/ { print $2 }' | sort -u | wc -l)" 1
	write_file $cset0/current_trigger user >/dev/null
	remove_iio a
	rmdir $both
}

has_block()
{
	[ "$(queued 0)" = 1 ]
}

# error_of_read: what a reader says
error_of_read()
{
	timeout 20 cat $node-0-0-data 2>&1 >/dev/null
}

test_errors()
{
	make_reader channels= nsamples=2
	echo 110 >$slow/fail
	check "the reader gets the error of the chip" sh -c \
		"timeout 20 cat $node-0-0-data 2>&1 >/dev/null | grep -q 'timed out'"
	is "once" "$(cat $ziio/cset0/failed)" 1
	check "the log names the channel" said_in_log 'cannot read voltage1: error -110'
	write_file $ziio/cset0/current_trigger transparent >/dev/null
	check "also with the trigger transparent" sh -c \
		"timeout 20 cat $node-0-0-data 2>&1 >/dev/null | grep -q 'timed out'"
	echo 0 >$slow/fail
	write_file $ziio/cset0/current_trigger user >/dev/null
	# The set may have failed once more behind the back of the last reader.
	samples 0-0 d4 16 >/dev/null
	echo 1 >$slow/wide
	check "a value of 64 bits is an error" sh -c \
		"timeout 20 cat $node-0-0-data 2>&1 >/dev/null | grep -q 'not supported'"
	echo 0 >$slow/wide
	set -- $(samples 0-0 d4 16)
	is "then scans go on" "$(($2 - $1)) $(($3 - $1))" "1000 1"
	remove_iio a
}

# The reader sleeps while the chip is read, which takes seconds.
test_gone()
{
	make_reader channels=voltage0 nsamples=100
	echo 50000 >$slow/delay
	hold_node $node-0-0
	cat $node-0-0-data >/dev/null 2>/tmp/said &
	reader=$!
	before=$(cat $slow/count)
	check "the chip is read" wait_until 20 sh -c "[ \$(cat $slow/count) -gt $((before + 1)) ]"
	check "the IIO device is unbound" unplug
	check "the ZIO device goes" wait_until 20 is_gone
	wait $reader
	is "the reader gets ENODEV" "$(grep -c "No such device" /tmp/said)" 1
	release_node
	plug
	echo 0 >$config/a/live
	check "the IIO device comes back" write_file $config/a/live 1
	zio-links
	write_file $ziio/cset0/sample-rate 50 >/dev/null
	hold_node $node-0-0
	cat $node-0-0-data >/dev/null 2>/tmp/said &
	reader=$!
	before=$(cat $slow/count)
	check "the chip is read" wait_until 20 sh -c "[ \$(cat $slow/count) -gt $((before + 1)) ]"
	check "the ZIO device is removed" write_file $config/a/live 0
	wait $reader
	is "the reader gets ENODEV" "$(grep -c "No such device" /tmp/said)" 1
	release_node
	echo 0 >$slow/delay
	remove_iio a
}

# Readers, rates, errors, shapes, and the end of the device, all at once
test_storm()
{
	for round in $(seq "${ZIO_STORM_ROUNDS:-6}"); do
		make_iio a iio=iio-slow mode=read channels= nsamples=4 >/dev/null 2>&1
		zio-links
		for i in 0 1; do
			(while cat $node-$i-0-data >/dev/null; do :; done) 2>/dev/null &
		done
		(while [ -e $ziio/cset0/sample-rate ]; do
			echo $((round * 500)) >$ziio/cset0/sample-rate
			echo transparent >$ziio/cset0/current_trigger
			echo $((round + 1)) >$ziio/cset0/trigger/nsamples
			echo user >$ziio/cset0/current_trigger
			echo 1 >$ziio/cset0/channels
			echo 3 >$ziio/cset0/channels
			echo 1 >$ziio/cset1/rescale
		done) 2>/dev/null &
		echo 100 >$slow/delay
		before=$(cat $slow/count)
		wait_until 20 sh -c "[ \$(cat $slow/count) -gt $((before + 200)) ]"
		echo 5 >$slow/fail
		echo 0 >$slow/fail
		if [ $((round % 2)) = 0 ]; then
			unplug >/dev/null
			wait_until 20 is_gone
			plug >/dev/null
		fi
		echo 0 >$config/a/live
		remove_iio a
		wait
	done
	check "no device is left" is_gone
	echo 0 >$slow/delay
}

if ! [ -e /sys/bus/iio ]; then
	skip "IIO" "this kernel has none"
	done_testing
	exit 0
fi
zio-load zio-iio
insmod "${0%/*}"/iio-slow.ko
test_refused
test_description
test_samples
test_rate
test_too_fast
test_trigger
test_errors
test_gone
test_storm
rmmod iio-slow
check "the module is unloaded" zio-unload zio-iio
done_testing
