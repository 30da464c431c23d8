#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kernel-module: gpio-sim
#
# zio-irq-tdc: interrupts of a number, and of GPIO lines.
. "${0%/*}/lib.sh"
. "${0%/*}/lib-gpio.sh"

config=/sys/kernel/config/zio/devices/ztdc
ztdc=/sys/bus/zio/devices/ztdc-0000

# The serial port that this very output goes through has one that can be shared.
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
	check "a block for each" node-time times /dev/zio/ztdc-0000-0-0 10
	diag "$said"
	check "and they are counted" grep -q '[1-9]' \
		$ztdc/cset0/chan0/statistics/blocks
	zio-unload zio-irq-tdc
}

test_config()
{
	zio-load zio-irq-tdc
	is "no device without being told" "$(ls -d $ztdc* 2>/dev/null)" ""
	mkdir $config/t
	expect_errno "neither number nor lines" EINVAL write_file $config/t/live 1
	write_file $config/t/lines "nowhere:1" >/dev/null
	expect_errno "no such controller" ENODEV write_file $config/t/live 1
	for text in nowhere nowhere: :1 nowhere:x nowhere:3-2 nowhere:1-; do
		write_file $config/t/lines "$text" >/dev/null
		expect_errno "$text is no line" EINVAL write_file $config/t/live 1
	done
	write_file $config/t/lines "nowhere:0-32" >/dev/null
	expect_errno "33 lines" E2BIG write_file $config/t/live 1
	write_file $config/t/irq 1 >/dev/null
	expect_errno "both number and lines" EINVAL write_file $config/t/live 1
	expect_errno "a text that is too long" E2BIG write_file $config/t/lines \
		"$(head -c 600 /dev/zero | tr '\0' x)"
	expect_write_errno "no such edge" EINVAL $config/t/edge sharp
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
	check "two lines" make_tdc t tdcsim:0-1 rising
	is "are two sets" "$(ls -d $ztdc/cset? | wc -l)" 2
	pulse tdcsim 0
	pulse tdcsim 0
	pulse tdcsim 1
	is "pulses are told apart" "$(blocks 0) $(blocks 1)" "2 1"
	is "and have times" "$(node-time times /dev/zio/ztdc-0000-0-0 2)" \
		"0:0:0 1:0:0 "
	now=$(node-time now)
	pulse tdcsim 0
	check "of the interrupt, not of when the set was armed" \
		node-time after /dev/zio/ztdc-0000-0-0 1 "$now"
	for i in $(seq 20); do
		pulse tdcsim 1
	done
	is "15 more fit" "$(blocks 1)" 16
	is "5 are missed" "$(cat $ztdc/cset1/missed)" 5
	check "what is there" node-time times /dev/zio/ztdc-0000-1-0 16
	pulse tdcsim 1
	is "the next one tells" "$(node-time times /dev/zio/ztdc-0000-1-0 1)" \
		"16:0:1 "
	check "one for falling edges" make_tdc t2 tdcsim:3 falling
	pull tdcsim 3 up
	falling=/sys/bus/zio/devices/ztdc-0001/cset0/chan0/statistics/blocks
	is "none yet" "$(cat $falling)" 0
	pull tdcsim 3 down
	is "a falling edge" "$(cat $falling)" 1
	check "unplug it" rmdir $config/t2
	check "another device on another line" make_tdc t2 tdcsim:2 both
	check_fails "a line is busy" make_tdc t3 tdcsim:2,tdcsim:3 rising
	expect_errno "it is" EBUSY write_file $config/t3/live 1
	pulse tdcsim 2
	is "both edges" "$(cat /sys/bus/zio/devices/ztdc-0001/cset0/chan0/statistics/blocks)" 2
	write_file $config/t3/lines tdcsim:4 >/dev/null
	expect_errno "no such line" EINVAL write_file $config/t3/live 1
	rmdir $config/t3
	node-life hold /dev/zio/ztdc-0000-0-0 /tmp/held &
	wait_until 20 test -e /tmp/held
	check "the controller goes" remove_chip tdcsim
	is "and its users go before" "$(ls -d /sys/bus/zio/devices/ztdc* 2>/dev/null)" ""
	rm /tmp/held
	wait
	check "unplug" rmdir $config/t $config/t2
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
