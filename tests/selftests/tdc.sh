#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# kernel-module: gpio-sim
#
# zio-irq-tdc: interrupts of a number, and of GPIO lines.
. "${0%/*}/lib.sh"
. "${0%/*}/lib-gpio.sh"

config=/sys/kernel/config/zio/devices/ztdc
ztdc=/sys/bus/zio/devices/ztdc-0000

# The interrupt of the serial port of this output can be shared.
serial_irq()
{
	awk '/ttyS1/ { sub(":", "", $1); irq = $1 } END { print irq }' \
		/proc/interrupts
}

test_number()
{
	irq=$(serial_irq)
	if [ -z "$irq" ] || ! modprobe zio-irq-tdc irq="$irq" ||
		[ ! -d $ztdc ]; then
		skip "an interrupt by its number" "'$irq' is not shared"
		! grep -q '^zio_irq_tdc ' /proc/modules || zio-unload zio-irq-tdc
		return
	fi
	zio-links
	for i in $(seq 20); do
		diag "this makes an interrupt"
	done
	check "each interrupt makes a block" read-times /dev/zio/ztdc-0000-0-0 10
	diag "$said"
	check "the blocks are counted" grep -q '[1-9]' \
		$ztdc/cset0/chan0/statistics/blocks
	zio-unload zio-irq-tdc
}

test_config()
{
	zio-load zio-irq-tdc
	is "there is no board by default" "$(ls -d $ztdc* 2>/dev/null)" ""
	mkdir $config/t
	expect_errno "neither number nor lines" EINVAL write_file $config/t/live 1
	write_file $config/t/lines "nowhere:1" >/dev/null
	expect_errno "an unknown controller" ENODEV write_file $config/t/live 1
	for text in nowhere nowhere: :1 nowhere:x nowhere:3-2 nowhere:1-; do
		write_file $config/t/lines "$text" >/dev/null
		expect_errno "$text is no line" EINVAL write_file $config/t/live 1
	done
	write_file $config/t/lines "nowhere:0-32" >/dev/null
	expect_errno "33 lines" E2BIG write_file $config/t/live 1
	write_file $config/t/irq 1 >/dev/null
	expect_errno "both number and lines" EINVAL write_file $config/t/live 1
	expect_errno "a list that is too long" E2BIG write_file $config/t/lines \
		"$(head -c 600 /dev/zero | tr '\0' x)"
	expect_write_errno "an unknown edge" EINVAL $config/t/edge sharp
	rmdir $config/t
	zio-unload zio-irq-tdc
}

# make_tdc NAME LINES EDGE
make_tdc()
{
	mkdir $config/"$1"
	write_file $config/"$1"/lines "$2" >/dev/null
	write_file $config/"$1"/edge "$3" >/dev/null
	write_file $config/"$1"/live 1
}

blocks()
{
	cat $ztdc/cset"$1"/chan0/statistics/blocks
}

test_lines()
{
	zio-load zio-irq-tdc
	make_chip tdcsim 4
	check "a board with two lines" make_tdc t tdcsim:0-1 rising
	is "it has two sets" "$(ls -d $ztdc/cset? | wc -l)" 2
	pulse tdcsim 0
	pulse tdcsim 0
	pulse tdcsim 1
	is "each line has its own blocks" "$(blocks 0) $(blocks 1)" "2 1"
	is "blocks have times, in order" "$(read-times /dev/zio/ztdc-0000-0-0 2)" \
		"0:0:0 1:0:0 "
	now=$(read-times --now)
	pulse tdcsim 0
	check "the time is that of the interrupt, not that of the arm" \
		read-times --after "$now" /dev/zio/ztdc-0000-0-0 1
	for i in $(seq 20); do
		pulse tdcsim 1
	done
	is "15 more blocks fit the queue" "$(blocks 1)" 16
	is "5 pulses are missed" "$(cat $ztdc/cset1/missed)" 5
	check "the queued blocks are read" read-times /dev/zio/ztdc-0000-1-0 16
	pulse tdcsim 1
	is "the next block has the alarm" "$(read-times /dev/zio/ztdc-0000-1-0 1)" \
		"21:1:1 "
	check "a board for falling edges" make_tdc t2 tdcsim:3 falling
	pull tdcsim 3 up
	falling=/sys/bus/zio/devices/ztdc-0001/cset0/chan0/statistics/blocks
	is "a rising edge makes no block" "$(cat $falling)" 0
	pull tdcsim 3 down
	is "a falling edge makes a block" "$(cat $falling)" 1
	check "the board is removed" rmdir $config/t2
	check "a board for both edges of another line" make_tdc t2 tdcsim:2 both
	check_fails "a line is busy" make_tdc t3 tdcsim:2,tdcsim:3 rising
	expect_errno "the error is EBUSY" EBUSY write_file $config/t3/live 1
	pulse tdcsim 2
	is "both edges make blocks" \
		"$(cat /sys/bus/zio/devices/ztdc-0001/cset0/chan0/statistics/blocks)" 2
	write_file $config/t3/lines tdcsim:4 >/dev/null
	expect_errno "a line that the controller does not have" EINVAL \
		write_file $config/t3/live 1
	rmdir $config/t3
	hold_node /dev/zio/ztdc-0000-0-0
	check "the controller is removed" remove_chip tdcsim
	is "its boards are removed first" "$(ls -d /sys/bus/zio/devices/ztdc* 2>/dev/null)" ""
	release_node
	check "the directories are removed" rmdir $config/t $config/t2
	zio-unload zio-irq-tdc
}

test_config
test_number
if has_gpio_sim; then
	test_lines
else
	skip "GPIO lines" "this kernel has no gpio-sim"
fi
done_testing
