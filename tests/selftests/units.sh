#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# not kasan: it judges programs, which read files
#
# What samples mean: unit, scale, offset and sign of channels, in sysfs and in controls;
# the names of attributes; the clock of a trigger, and whether it is synchronised.
. "${0%/*}/lib.sh"

chan=$cset0/chan2
config=/sys/kernel/config/zio
source=/sys/devices/system/clocksource/clocksource0/current_clocksource

# scaling DIRECTORY
scaling()
{
	echo $(cd "$1" && cat unit scale offset signed type)
}

# record COMMAND...: keep what it prints for several checks
record()
{
	capture "$@"
	recorded=$said
}

# has_line REGEX: the recorded text has such a line
has_line()
{
	echo "$recorded" | grep -Eq -- "$1" || { echo "$recorded"; false; }
}

# dump OPTION...: a block of the sawtooth, with one space between words
dump()
{
	record zio-dump "$@" -n 1 zzero-0-2
	recorded=$(echo "$recorded" | tr -s ' ')
}

test_scaling()
{
	is "an input has plain numbers" "$(scaling $chan)" "none 1 0 0 le:u8/8>>0"
	is "an output has them, too" "$(scaling $zzero/cset1/chan0)" "none 1 0 0 le:u8/8>>0"
	is "a driver without a scale has no unit" "$(ls $zzero/cset2/chan0/unit 2>/dev/null)" ""
	is "nobody changes the sign" "$(stat -c %a $chan/signed $chan/scale | xargs)" "444 644"
	dd if=/dev/zio/zzero-0000-0-2-data of=/dev/null bs=16 count=1 2>/dev/null
	check "a user says what samples mean" \
		zio set zzero/0/2 unit=V scale=1.0e-3 offset=-0.016
	is "in sysfs" "$(scaling $chan)" "V 0.001 -0.016 0 le:u8/8>>0"
	is "another channel has its own scale" "$(scaling $cset0/chan1)" "none 1 0 0 le:u8/8>>0"
	dump -u -d
	check "values in volts" has_line '^ data 0: 0 0\.001 0\.002 0\.003 V$'
	dump -u -j
	# Each has the digits that it takes to read it back exactly.
	check "values in JSON" has_line '"unit":"V","data":\[0\.016,0\.017'
	dump -a -c
	check "attributes in a control" has_line \
		'channel unit=V signed=0 scale=0.001 offset=-0.016'
}

test_errors()
{
	record zio set zzero/0/2 scale=0
	check "zio says why" has_line 'a scale of 0 makes all values equal'
	record zio set zzero/0/2 unit=mV
	check "zio lists the units" has_line 'V A Ohm W'
}

test_signed_attribute()
{
	check "a negative offset of the board" zio set zzero/2/0 offset=-3
	is "in sysfs" "$(cat $zzero/cset2/chan0/offset)" -3
	record zio-dump -a -n 1 -f signed zzero-2-0
	check "in the control" has_line 'channel gain-factor=1000 offset=-3 sequence=0$'
	check "in the samples" has_line 'data +0: +-3 +-2 +-1 +0$'
}

test_names()
{
	is "names of a channel" "$(tail -n 1 $zzero/cset2/chan0/control-attrs)" "ext 0 sequence"
	mkdir $config/triggers/hrt/clock0
	echo 3600000000000 >$config/triggers/hrt/clock0/period-ns
	echo clock0 >$zzero/cset2/current_trigger
	check "names of a trigger" grep -q '^ext 0 period-ns wide$' \
		$zzero/cset2/trigger/control-attrs
	zio-dump --print-names zzero-2-0 >/tmp/names
	check "names for a file" grep -q '^zzero-0000-2-0 trigger:clock0 ext 0 period-ns wide$' \
		/tmp/names
	echo user >$zzero/cset2/current_trigger
	echo hrt >$zzero/cset2/current_trigger
	echo 3000000 >$zzero/cset2/trigger/period-ns
	# A block of the former period may have come since.
	echo 1 >$zzero/cset2/chan0/flush
	record zio-dump -a -c -n 1 zzero-2-0
	check "a number of 64 bits, and the clock" has_line \
		'trigger nshots=1 .* period-ns=3000000 phase-ns=0 .* clock=0$'
	zio-copy if=zzero-2-0 of=/tmp/block count=1
	record zio-dump -a -c /tmp/block
	check "a block file has no names" has_line 'channel gain-factor=1000 .*ext0='
	zio-dump --print-names zzero >/tmp/names
	record zio-dump -a -c --names /tmp/names /tmp/block
	check "a block file with names" has_line 'channel gain-factor=1000 .*sequence='
	echo user >$zzero/cset2/current_trigger
}

# In the virtual machine no program synchronises the clock but this one.
test_clock()
{
	record set-clock 0 0
	record zio get trigger:clock0
	check "the kernel stamps" has_line '^clock-source=kernel$'
	check "the clock source" has_line "^clock-counter=$(cat $source)$"
	check "nobody has synchronised it" has_line '^clock-state=unsynchronised$'
	check "an unknown error" has_line '^clock-max-error-ns=unknown$'
	check "an unknown offset of TAI" has_line '^clock-tai-offset-s=unknown$'
	check "a program synchronises the clock" set-clock 1 37
	record zio get trigger:clock0
	check "it is synchronised" has_line '^clock-state=synchronised$'
	check "the error is known" has_line '^clock-max-error-ns=[0-9]+$'
	check "the offset of TAI" has_line '^clock-tai-offset-s=37$'
	echo monotonic >$config/triggers/hrt/clock0/clock
	record zio get -j trigger:clock0
	check "a clock that begins at boot" has_line '"clock-state":"local"'
	is "the trigger of a set has it, too" "$(cat $cset0/trigger/clock-source)" kernel
	set-clock 0 0
	rmdir $config/triggers/hrt/clock0
}

modprobe zio-trig-hrt
test_scaling
test_errors
test_signed_attribute
test_names
test_clock
done_testing
