#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kernel-module: gpio-sim
# not distro: that kernel has no gpio-sim
#
# zio-gpio: lines of emulated controllers as a parallel port.
. "${0%/*}/lib.sh"
. "${0%/*}/lib-gpio.sh"

config=/sys/kernel/config/zio/devices/zgpio
zgpio=/sys/bus/zio/devices/zgpio-0000
node=/dev/zio/zgpio-0000

# make_port NAME IN OUT
make_port()
{
	mkdir -p $config/"$1"
	write_file $config/"$1"/in "$2" >/dev/null
	write_file $config/"$1"/out "$3" >/dev/null
	write_file $config/"$1"/live 1
}

# The samples that a read of so many gives
samples()
{
	dd if=$node-0-0-data bs=4 count="${1:-1}" 2>/dev/null |
		od -An -v -tu4 -w4 | xargs
}

levels()
{
	for line in "$@"; do
		level simb "$line"
	done | xargs
}

# levels_are A B C: of lines 0, 1, 3
levels_are()
{
	[ "$(levels 0 1 3)" = "$*" ]
}

test_config()
{
	zio-load zio-gpio
	is "no device without being told" "$(ls -d $zgpio 2>/dev/null)" ""
	expect_errno "neither in nor out" EINVAL make_port p '' ''
	expect_errno "no such controller" ENODEV make_port p nowhere:0 ''
	expect_errno "no list" EINVAL make_port p '' 'nowhere'
	expect_errno "33 lines" E2BIG make_port p 'nowhere:0-31 nowhere:32' ''
	check "rmdir" rmdir $config/p
}

test_input()
{
	check "four lines in, three out, of two controllers" \
		make_port p "sima:0-3" "simb:0,simb:1 simb:3"
	zio-links
	is "directions" "$(cat $zgpio/cset*/direction | xargs)" "input output"
	is "a word each" "$(cat $zgpio/cset*/ssize $zgpio/cset*/trigger/nsamples |
		xargs)" "4 4 1 1"
	is "four bits mean something" "$(dd if=$node-0-0-ctrl bs=512 count=1 \
		2>/dev/null | od -An -j14 -N2 -tu2 | xargs)" 4
	is "all low" "$(samples)" 0
	pull sima 0 up
	pull sima 3 up
	is "0 and 3 are high" "$(samples)" 9
	pull sima 0 down
	is "3 is" "$(samples)" 8
	write_file $zgpio/cset0/trigger/nsamples 5 >/dev/null
	is "five of a block" "$(samples 5)" "8 8 8 8 8"
}

test_output()
{
	is "low at first" "$(levels 0 1 3)" "0 0 0"
	printf '\005\0\0\0' >$node-1-0-data
	check "they are set" wait_until 5 levels_are 1 0 1
	is "no other is" "$(level simb 2)" 0
	write_file $zgpio/cset1/trigger/nsamples 3 >/dev/null
	printf '\001\0\0\0\003\0\0\0\002\0\0\0' >$node-1-0-data
	check "the last of a block stays" wait_until 5 levels_are 0 1 0
}

test_busy()
{
	check_fails "a line that is in use" make_port q sima:1 ''
	expect_errno "is busy" EBUSY make_port q sima:1 ''
	expect_errno "out of range" EINVAL make_port q sima:9 ''
	check "another one is free" make_port q sima:5 ''
	is "two devices" "$(ls -d /sys/bus/zio/devices/zgpio* | wc -l)" 2
	check "rmdir" rmdir $config/q
}

# A reader waits at a slow trigger, the board's controller goes.
test_gone()
{
	write_file $zgpio/cset0/trigger/enable 0 >/dev/null
	node-life hold $node-0-0 /tmp/held &
	wait_until 20 test -e /tmp/held
	cat $node-0-0-data >/dev/null 2>/tmp/said &
	reader=$!
	wait_until 20 sh -c "ls -l /proc/$reader/fd | grep -q zgpio"
	check "one controller of two is pulled out" unplug_chip simb
	is "the device goes with it" "$(ls -d $zgpio 2>/dev/null)" ""
	wait $reader
	is "its reader is told" "$(grep -c "No such device" /tmp/said)" 1
	rm /tmp/held
	wait
	check "the lines of the other one are free" make_port q sima:0-3 ''
	check "rmdir" rmdir $config/p $config/q
	zio-unload zio-gpio
}

test_parameters()
{
	check "by parameters" zio-load zio-gpio in=sima:0-1 out=sima:2
	is "a device" "$(cat $zgpio/cset*/direction | xargs)" "input output"
	pull sima 1 up
	is "that works" "$(samples)" 2
	check "rmmod" zio-unload zio-gpio
}

test_storm()
{
	zio-load zio-gpio
	make_port p sima:0-3 sima:4-7
	node-life hammer $node-0-0 \
		/sys/bus/platform/drivers/zio-gpio/unbind $node-1-0 \
		"$(basename "$(dirname "$(readlink -f $zgpio)")")" >/tmp/said 2>&1
	is "unbind under busy users" "$? $(cat /tmp/said)" "0 "
	rmdir $config/p
	zio-unload zio-gpio
}

test_config
if has_gpio_sim; then
	make_chip sima 8
	make_chip simb 4
	test_input
	test_output
	test_busy
	test_gone
	test_parameters
	test_storm
	remove_chip sima
	rmdir $sim_config/simb/bank $sim_config/simb
else
	skip "lines" "this kernel has no gpio-sim"
	zio-unload zio-gpio
fi
done_testing
