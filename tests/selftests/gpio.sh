#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# kasan
# kernel-module: gpio-sim
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

# samples [N]: a read of N samples
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

# levels_are A B C: the levels of lines 0, 1, 3
levels_are()
{
	[ "$(levels 0 1 3)" = "$*" ]
}

test_config()
{
	zio-load zio-gpio
	is "there is no board by default" "$(ls -d $zgpio 2>/dev/null)" ""
	expect_errno "a board without lines" EINVAL make_port p '' ''
	expect_errno "an unknown controller" ENODEV make_port p nowhere:0 ''
	expect_errno "a text that is not a list" EINVAL make_port p '' 'nowhere'
	expect_errno "33 lines" E2BIG make_port p 'nowhere:0-31 nowhere:32' ''
	check "the directory is removed" rmdir $config/p
}

test_wide()
{
	check "a board with as many lines as a sample has bits" make_port p sima:0-31 ''
	pull sima 31 up
	is "the highest bit is that of the last line" "$(samples)" 2147483648
	pull sima 31 down
	check "the directory is removed" rmdir $config/p
}

test_input()
{
	check "four lines in, three out, of two controllers" \
		make_port p "sima:0-3" "simb:0,simb:1 simb:3"
	zio-links
	is "the board has an input and an output" \
		"$(cat $zgpio/cset*/direction | xargs)" "input output"
	is "a sample is a word, and a block is a sample" \
		"$(cat $zgpio/cset*/ssize $zgpio/cset*/trigger/nsamples |
		xargs)" "4 4 1 1"
	is "nbits is the number of lines" "$(dd if=$node-0-0-ctrl bs=512 count=1 \
		2>/dev/null | od -An -j14 -N2 -tu2 | xargs)" 4
	is "all lines are low" "$(samples)" 0
	pull sima 0 up
	pull sima 3 up
	is "lines 0 and 3 are high" "$(samples)" 9
	pull sima 0 down
	is "line 3 is high" "$(samples)" 8
	write_file $zgpio/cset0/trigger/nsamples 5 >/dev/null
	is "a block of five samples" "$(samples 5)" "8 8 8 8 8"
}

test_output()
{
	is "outputs are low at first" "$(levels 0 1 3)" "0 0 0"
	printf '\005\0\0\0' >$node-1-0-data
	check "the lines of the sample are set" wait_until 10 levels_are 1 0 1
	is "a line of no board stays low" "$(level simb 2)" 0
	write_file $zgpio/cset1/trigger/nsamples 3 >/dev/null
	printf '\001\0\0\0\003\0\0\0\002\0\0\0' >$node-1-0-data
	check "the lines keep the last sample of a block" wait_until 10 levels_are 0 1 0
}

test_busy()
{
	check_fails "a line that is in use" make_port q sima:1 ''
	expect_errno "the error is EBUSY" EBUSY make_port q sima:1 ''
	expect_errno "a line that the controller does not have" EINVAL make_port q sima:32 ''
	check "a board on a free line" make_port q sima:5 ''
	is "there are two boards" "$(ls -d /sys/bus/zio/devices/zgpio* | wc -l)" 2
	check "the directory is removed" rmdir $config/q
}

# A controller is removed while a reader waits.
test_gone()
{
	write_file $zgpio/cset0/trigger/enable 0 >/dev/null
	hold_node $node-0-0
	cat $node-0-0-data >/dev/null 2>/tmp/said &
	reader=$!
	wait_until 20 sh -c "ls -l /proc/$reader/fd | grep -q zgpio"
	check "one of two controllers is removed" unplug_chip simb
	is "the board is removed with its controller" "$(ls -d $zgpio 2>/dev/null)" ""
	wait $reader
	is "the reader gets ENODEV" "$(grep -c "No such device" /tmp/said)" 1
	release_node
	check "the lines of the other controller are free" make_port q sima:0-3 ''
	check "the directory is removed" rmdir $config/p $config/q
	zio-unload zio-gpio
}

test_parameters()
{
	check "a board by module parameters" zio-load zio-gpio in=sima:0-1 out=sima:2
	is "it has an input and an output" "$(cat $zgpio/cset*/direction | xargs)" "input output"
	pull sima 1 up
	is "its input works" "$(samples)" 2
	check "the module is unloaded" zio-unload zio-gpio
}

test_storm()
{
	zio-load zio-gpio
	make_port p sima:0-3 sima:4-7
	unbind-under-users $node-0-0 $node-1-0 \
		/sys/bus/platform/drivers/zio-gpio/unbind \
		"$(basename "$(dirname "$(readlink -f $zgpio)")")" >/tmp/said 2>&1
	is "unbind under busy users" "$? $(cat /tmp/said)" "0 "
	rmdir $config/p
	zio-unload zio-gpio
}

test_config
if has_gpio_sim; then
	make_chip sima 32
	make_chip simb 4
	test_wide
	test_input
	test_output
	test_busy
	test_gone
	test_parameters
	test_storm
	remove_chip sima
	rmdir $sim_config/simb/bank $sim_config/simb
else
	skip "GPIO lines" "this kernel has no gpio-sim"
	zio-unload zio-gpio
fi
done_testing
