#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# rt
#
# zio-fake-dtc: blocks that are nothing but a time; orders that cannot be done.
. "${0%/*}/lib.sh"

zdtc=/sys/bus/zio/devices/zdtc-0000
out=/dev/zio/zdtc-0000-0-0
in=/dev/zio/zdtc-0000-1-0
refused=$zdtc/cset0/chan0/statistics/lost_blocks
driver=/sys/bus/platform/drivers/zio-fake-dtc
config=/sys/kernel/config/zio/devices/zdtc

fresh()
{
	! grep -q '^zio_fake_dtc ' /proc/modules || zio-unload zio-fake-dtc
	zio-load zio-fake-dtc "$@"
}

statistics()
{
	echo "$(cat $zdtc/cset0/statistics/io_errors)" \
		"$(cat $zdtc/cset0/chan0/statistics/lost_blocks)" \
		"$(cat $zdtc/cset0/chan0/alarms)"
}

missed()
{
	cat $zdtc/cset1/missed
}

test_pulses()
{
	fresh
	is "no samples" "$(cat $zdtc/cset0/ssize $zdtc/cset1/ssize | xargs)" "0 0"
	check "what is no order is refused" node-time refused $out
	expect_write_errno "no samples can be had" EINVAL \
		$zdtc/cset0/trigger/nsamples 1
	check "pulses as ordered" node-time pulses $out $in 40 30 $refused
	diag "$said"
	is "none was missed" "$(missed)" 0
	fresh
	check "an order without a time" node-time order $out now
	is "is done at once" "$(node-time times $in 1)" "0:0:0 "
}

test_refused()
{
	fresh
	check "an order for the past" node-time order $out -1
	is "is told" "$(statistics)" "1 1 0x0101"
	check "one beyond the horizon" node-time order $out 7200000
	is "is told, too" "$(statistics)" "2 2 0x0301"
	check "one that is no time" node-time odd $out
	is "is told, as well" "$(statistics)" "3 3 0x0701"
	is "there was no pulse" "$(missed) $(cat $zdtc/cset1/chan0/statistics/blocks)" \
		"0 0"
	expect_write_errno "no horizon" ERANGE $zdtc/cset0/horizon-s 0
	expect_write_errno "a horizon of years" ERANGE $zdtc/cset0/horizon-s \
		31622401
	check "a horizon further off" write_file $zdtc/cset0/horizon-s 10000
	check "has room for it" node-time order $out 7200000
	is "it waits" "$(statistics)" "3 3 0x0701"
	check "until it is called off" write_file $zdtc/cset0/enable 0
	is "which is a loss" "$(statistics)" "3 4 0x0701"
}

# More pulses than the input has room for.
test_missed()
{
	fresh
	for i in $(seq 20); do
		node-time order $out now || break
	done
	is "16 are queued" "$(cat $zdtc/cset1/chan0/statistics/blocks)" 16
	is "the others were missed" "$(missed)" 4
	is "and this is told" "$(cat $zdtc/cset1/chan0/alarms)" 0x0100
	check "they are read" node-time times $in 16
	check "one more" node-time order $out now
	is "tells of those that are missing" "$(node-time times $in 1)" "16:0:1 "
	check "a disabled input hears nothing" write_file $zdtc/cset1/enable 0
	check "another one" node-time order $out now
	is "which is missed" "$(missed)" 5
}

test_unbind()
{
	for round in 1 2 3; do
		fresh
		node-time order $out 3000000
		node-life hold $in /tmp/held &
		wait_until 20 test -e /tmp/held
		check "unbind while an order waits ($round)" \
			write_file $driver/unbind zio-fake-dtc.0
		rm /tmp/held
		wait
		check "bind ($round)" write_file $driver/bind zio-fake-dtc.0
		node-time pulses $out $in 3000 1 $refused >/dev/null 2>&1 &
		wait_until 20 grep -q '[1-9]' $zdtc/cset1/chan0/statistics/blocks
		check "unbind under pulses ($round)" \
			write_file $driver/unbind zio-fake-dtc.0
		wait
	done
}

test_config()
{
	fresh ndev=0
	check "mkdir" mkdir $config/pulser
	expect_write_errno "no outputs" ERANGE $config/pulser/outputs 0
	expect_write_errno "too many" ERANGE $config/pulser/outputs 17
	write_file $config/pulser/outputs 3 >/dev/null
	check "live" write_file $config/pulser/live 1
	is "sets" "$(cat $zdtc/cset*/direction | xargs)" \
		"output output output input input input"
	check "the third output is heard by the third input" node-time pulses \
		/dev/zio/zdtc-0000-2-0 /dev/zio/zdtc-0000-5-0 10 30 \
		$zdtc/cset2/chan0/statistics/lost_blocks
	check "unplug" rmdir $config/pulser
	zio-unload zio-fake-dtc
	check_fails "outputs=17" modprobe zio-fake-dtc outputs=17
}

test_pulses
test_refused
test_missed
test_unbind
test_config
done_testing
