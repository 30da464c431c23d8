#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# rt
#
# Triggers: each type alone, and shared by sets of several devices.
. "${0%/*}/lib.sh"

config=/sys/kernel/config/zio
node=/dev/zio/zzero-0000
cset2=$zzero/cset2
own=$cset0/trigger
clock0=$config/triggers/hrt/clock0
clock1=$config/triggers/hrt/clock1

load_types()
{
	for type in timer hrt sysfs chain irq; do
		check "zio-trig-$type loads" zio-load zio-trig-$type
		check "$type has a directory" test -d $config/triggers/$type
	done
	is "all types are available" "$(xargs </sys/bus/zio/available_triggers)" \
		"user transparent timer hrt sysfs chain irq"
	is "user and transparent cannot be shared" \
		"$(cd $config/triggers && echo *)" "chain hrt irq sysfs timer"
}

use()
{
	echo "$2" >"$1/current_trigger"
}

# reached FILE NUMBER
reached()
{
	[ "$(cat "$1")" -ge "$2" ]
}

test_sysfs()
{
	check "the trigger is sysfs" use $cset0 sysfs
	fired=$(cat $cset0/statistics/fired)
	check "an event is fired" write_file $own/fire 1
	check "an event is fired again" write_file $own/fire 1
	is "the set was fired twice" "$(cat $cset0/statistics/fired)" $((fired + 2))
	expect_errno "fire refuses 2" ERANGE write_file $own/fire 2
	check "the trigger is disabled" write_file $own/enable 0
	expect_errno "a disabled trigger refuses an event" ESHUTDOWN write_file $own/fire 1
	is "the set was not fired" "$(cat $cset0/statistics/fired)" $((fired + 2))
	check "the trigger is enabled" write_file $own/enable 1
	check "the trigger is user again" use $cset0 user
	check "the files of the type are removed" test ! -e $own/fire
}

test_timer()
{
	check "the trigger is timer" use $cset0 timer
	expect_write_errno "period 0" ERANGE $own/period-ms 0
	expect_write_errno "a period that is not a number" EINVAL $own/period-ms fast
	check "the period is set" write_file $own/period-ms 20
	fired=$(cat $cset0/statistics/fired)
	check "the trigger fires" wait_until 10 reached $cset0/statistics/fired \
		$((fired + 10))
	check "the phase is set" write_file $own/phase-ms 7
	check "the trigger continues with the phase" wait_until 10 \
		reached $cset0/statistics/fired $((fired + 20))
	check "the trigger is user again" use $cset0 user
}

test_hrt()
{
	echo 0 >$own/enable
	check "the trigger is hrt" use $cset0 hrt
	for value in 0 1 999 9223372036854775808 99999999999999999; do
		expect_write_errno "period $value" ERANGE $own/period-ns $value
	done
	for value in -1 1ms 99999999999999999999999; do
		capture write_file $own/period-ns "$value"
		is "period $value is refused" $status 1
	done
	check "the period is set" write_file $own/period-ns 1000000
	check "hrt is enabled" write_file $own/enable 1
	check "a period of 5 s" write_file $own/period-ns 5000000000
	echo 1000000 >$own/period-ns
	check "the trigger is user again" use $cset0 user
}

# another_clock_ticks SET: another clock has 50 ticks on this set, of a millisecond each
another_clock_ticks()
{
	mkdir $clock1
	echo 1000000 >$clock1/period-ns
	use $1 clock1
	check "meanwhile another clock has 50 ticks" wait_until 20 reached $clock1/fired 50
	use $1 user
	rmdir $clock1
}

# A clock fires as many shots as were set while it was disabled.
test_shots()
{
	mkdir $clock0
	echo 0 >$clock0/enable
	echo 1000000 >$clock0/period-ns
	echo 25 >$clock0/shots
	check "a set uses a disabled clock" use $cset0 clock0
	echo 1 >$clock0/enable
	check "25 shots are fired" wait_until 10 reached $clock0/fired 25
	another_clock_ticks $cset2
	is "no 26th shot is fired" "$(cat $clock0/fired)" 25
	is "the set has got all shots" "$(cat $cset0/statistics/fired)" 25
	is "the set counts missed ticks" "$(cat $cset0/statistics/lost_triggers)" \
		"$(cat $clock0/missed)"
	echo 0 >$clock0/shots
	use $cset0 user
	rmdir $clock0
}

test_chain()
{
	check "the trigger is chain" use $cset2 chain
	chain=$cset2/trigger/source
	expect_write_errno "a source that is not an address" EINVAL $chain zzero
	expect_write_errno "an unknown set" ENODEV $chain zzero-0000/cset9
	expect_write_errno "an unknown board" ENODEV $chain zzero-0009/cset0
	expect_write_errno "a set does not follow itself" ELOOP $chain zzero-0000/cset2
	check "the source is set" write_file $chain zzero-0000/cset0
	fired=$(cat $cset2/statistics/fired)
	dd if=$node-0-2-data of=/dev/null bs=16 count=10 2>/dev/null
	is "ten events follow ten events" "$(cat $cset2/statistics/fired)" $((fired + 10))
	mkdir $config/devices/zzero/gone
	echo 1 >$config/devices/zzero/gone/live
	write_file $chain "$(cat $config/devices/zzero/gone/name)"/cset0 >/dev/null
	rmdir $config/devices/zzero/gone
	check "a chain without its source is disabled" write_file $cset2/trigger/enable 0
	check "and enabled" write_file $cset2/trigger/enable 1
	check "its source is another set" write_file $chain zzero-0000/cset0
	check "cset0 uses a chain, too" use $cset0 chain
	check "two sets follow each other" write_file $own/source zzero-0000/cset2
	check "cset0 is fired by sysfs" use $cset0 sysfs
	check "one event of sysfs ends" write_file $own/fire 1
	check "the trigger is user again" use $cset2 user
	check "the trigger of cset0 is user again" use $cset0 user
}

test_irq()
{
	check "the trigger is irq" use $cset0 irq
	expect_write_errno "an unknown interrupt" EINVAL $own/irq 4000
	check "the trigger is disabled" write_file $own/enable 0
	expect_write_errno "a disabled trigger refuses an unknown interrupt" EINVAL $own/irq 4000
	check "the trigger is enabled" write_file $own/enable 1
	expect_write_errno "a line that is not a line" EINVAL $own/line 12
	expect_write_errno "an unknown controller" ENODEV $own/line nowhere:3
	expect_write_errno "an unknown edge" EINVAL $own/edge sharp
	check "the edge is set" write_file $own/edge both
	check "the trigger is user again" use $cset0 user
}

# A list that does not fit into 4096 bytes ends with dots.
test_many()
{
	mkdir $clock0 $config/devices/zzero/many
	echo 0 >$clock0/enable
	echo 300 >$config/devices/zzero/many/csets
	echo 1 >$config/devices/zzero/many/channels
	echo 1 >$config/devices/zzero/many/live
	for set in /sys/bus/zio/devices/"$(cat \
		$config/devices/zzero/many/name)"/cset[0-9]*; do
		echo clock0 >"$set"/current_trigger
	done
	is "the clock counts its sets" "$(cat $clock0/n-csets)" 300
	is "the list of sets ends with dots" "$(tail -n 1 $clock0/csets)" "..."
	check "the list has the addresses of sets" test "$(sed '$d' $clock0/csets |
		grep -c '^zzero-[0-9a-f]*/cset[0-9]*$')" -ge 200
	rmdir $config/devices/zzero/many $clock0
}

test_shared()
{
	zio-unload zio-zero && zio-load zio-zero ndev=4
	check "a shared clock is made" mkdir $clock0
	expect_errno "a name is taken once" EEXIST mkdir $config/triggers/timer/clock0
	expect_errno "the name of a type is taken" EEXIST mkdir $config/triggers/timer/hrt
	expect_errno "names have 11 characters" "ENAMETOOLONG" \
		mkdir $config/triggers/hrt/twelve-chars
	check "its period is set to 1 ms" write_file $clock0/period-ns 1000000
	for id in 0 1 2; do
		for i in 0 2; do
			check "zzero-000$id/cset$i" use \
				/sys/bus/zio/devices/zzero-000$id/cset$i clock0
		done
	done
	is "the clock lists its sets" "$(xargs <$clock0/csets)" "zzero-0000/cset0 \
zzero-0000/cset2 zzero-0001/cset0 zzero-0001/cset2 zzero-0002/cset0 \
zzero-0002/cset2"
	is "a set names its clock" "$(cat $cset0/current_trigger)" clock0
	expect_errno "a clock in use is not removed" EBUSY rmdir $clock0
	expect_errno "a module in use is not unloaded" EAGAIN rmmod zio-trig-hrt
	expect_errno "a set cannot change the shared clock" EACCES \
		write_file $own/clock tai
	is "the file of the set is read-only" "$(stat -c %a $own/clock)" 444
	is "the clock has six sets" "$(cat $clock0/n-csets)" 6
	check "one set is disabled" write_file $own/enable 0
	fired=$(cat $cset0/statistics/fired)
	other=/sys/bus/zio/devices/zzero-0001/cset0/statistics/fired
	check "other sets continue" wait_until 10 reached $other \
		$(($(cat $other) + 20))
	is "the disabled set is not fired" "$(cat $cset0/statistics/fired)" "$fired"
	check "the clock is disabled" write_file $clock0/enable 0
	fired=$(cat $clock0/fired)
	another_clock_ticks /sys/bus/zio/devices/zzero-0003/cset0
	is "a disabled clock has no event" "$(cat $clock0/fired)" "$fired"
	check "the driver is unloaded" zio-unload zio-zero
	is "the clock has no sets" "$(cat $clock0/csets)" ""
	check "the clock is removed" rmdir $clock0
	check "its module is unloaded" zio-unload zio-trig-hrt
	zio-load zio-trig-hrt
	zio-load zio-zero
}

load_types
for test in shots sysfs timer hrt chain irq many shared; do
	# With nothing queued by the one before.
	zio-unload zio-zero && zio-load zio-zero
	test_$test
done
done_testing
