#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kernel-module: gpio-sim
# rt
#
# The trigger "irq" with GPIO lines: edges, instances, lines that are not there.
. "${0%/*}/lib.sh"
. "${0%/*}/lib-gpio.sh"

shared=/sys/kernel/config/zio/triggers/irq
trigger=$cset0/trigger

blocks()
{
	cat "${1:-$cset0}"/chan0/statistics/blocks
}

drain()
{
	node-time drain /dev/zio/zzero-0000-"$1"-0
}

test_refused()
{
	for text in nowhere nowhere: :3 nowhere:x nowhere:0-1 nowhere:0,nowhere:1; do
		expect_write_errno "$text is no line" EINVAL $trigger/line "$text"
	done
	expect_write_errno "no such controller" ENODEV $trigger/line nowhere:3
	expect_write_errno "no such edge" EINVAL $trigger/edge sharp
	is "and the trigger is still on" "$(cat $trigger/enable)" 1
}

test_edges()
{
	check "a line" write_file $trigger/line trga:0
	before=$(blocks)
	pull trga 0 up
	is "it rises" $(($(blocks) - before)) 1
	pull trga 0 down
	is "it falls" $(($(blocks) - before)) 1
	check "falling" write_file $trigger/edge falling
	pulse trga 0
	is "one edge" $(($(blocks) - before)) 2
	check "both" write_file $trigger/edge both
	pulse trga 0
	is "two edges" $(($(blocks) - before)) 4
	drain 0
	check "another line" write_file $trigger/line trga:1
	pulse trga 0
	is "the first one is silent" $(($(blocks) - before)) 4
	check "rising" write_file $trigger/edge rising
	pulse trga 1
	is "the second is not" $(($(blocks) - before)) 5
	write_file $trigger/enable 0 >/dev/null
	pulse trga 1
	is "disabled" $(($(blocks) - before)) 5
	write_file $trigger/enable 1 >/dev/null
	pulse trga 1
	is "enabled" $(($(blocks) - before)) 6
}

test_instances()
{
	mkdir $shared/door $shared/window
	write_file $shared/door/line trga:2 >/dev/null
	write_file $shared/window/line trga:3 >/dev/null
	check "one for cset0" write_file $cset0/current_trigger door
	check "one for cset2" write_file $zzero/cset2/current_trigger window
	a=$(blocks) b=$(blocks $zzero/cset2)
	pulse trga 2
	pulse trga 3
	pulse trga 3
	is "they are told apart" \
		"$(($(blocks) - a)) $(($(blocks $zzero/cset2) - b))" "1 2"
	check "two sets on one" write_file $zzero/cset2/current_trigger door
	pulse trga 2
	is "one event for both" \
		"$(($(blocks) - a)) $(($(blocks $zzero/cset2) - b))" "2 3"
	expect_write_errno "a line that is busy" EBUSY $shared/door/line trga:4
	pulse trga 2
	is "the old one is still in force" $(($(blocks) - a)) 3
	drain 0
	drain 2
}

test_unplugged()
{
	a=$(blocks)
	check "the controller is pulled out" unplug_chip trga
	is "nothing happens any more" $(($(blocks) - a)) 0
	expect_write_errno "it is not there" ENODEV $shared/door/line trga:3
	check "another trigger" write_file $cset0/current_trigger user
	check "is of use" dd if=/dev/zio/zzero-0000-0-0-data of=/dev/null bs=16 \
		count=1
	write_file $zzero/cset2/current_trigger user >/dev/null
	echo 1 >$sim_config/trga/live
	check "it is plugged in" write_file $cset0/current_trigger door
	a=$(blocks)
	pulse trga 2
	is "and works again" $(($(blocks) - a)) 1
	write_file $cset0/current_trigger user >/dev/null
	rmdir $shared/door $shared/window
}

# The controller comes and goes while the trigger asks for its line, and lets go.
# gpiolib of Linux 6.1 reads desc->gdev->chip after the controller has gone: in
# gpiod_request_commit() this is a null pointer. A kernel with sanitizers is slow
# enough to hit that.
test_races()
{
	if is_debug_kernel; then
		skip "a controller comes and goes" "gpiolib of 6.1 crashes"
		return
	fi
	rounds=60
	(
		i=0
		while [ $i -lt $rounds ]; do
			unplug_chip trga
			echo 1 >$sim_config/trga/live
			i=$((i + 1))
		done
		echo end >/tmp/plugged
	) &
	while [ ! -e /tmp/plugged ]; do
		echo trga:5 >$trigger/line 2>/dev/null
		echo trga:6 >$trigger/line 2>/dev/null
	done
	wait $!
	check "a line after all that" write_file $trigger/line trga:5
	a=$(blocks)
	pulse trga 5
	is "works" $(($(blocks) - a)) 1
}

if ! has_gpio_sim; then
	skip "lines" "this kernel has no gpio-sim"
	done_testing
fi
modprobe zio-trig-irq
make_chip trga 8
write_file $cset0/current_trigger irq >/dev/null
test_refused
test_edges
drain 0
test_races
drain 0
modprobe zio-gpio in=trga:4
test_instances
rmmod zio-gpio
test_unplugged
remove_chip trga
done_testing
