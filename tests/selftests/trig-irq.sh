#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# leaks
# kernel-module: gpio-sim
#
# The trigger "irq" with GPIO lines: edges, instances, lines that do not exist.
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
	read-queued /dev/zio/zzero-0000-"$1"-0
}

test_refused()
{
	for text in nowhere nowhere: :3 nowhere:x nowhere:0-1 nowhere:0,nowhere:1; do
		expect_write_errno "$text is no line" EINVAL $trigger/line "$text"
	done
	expect_write_errno "an unknown controller" ENODEV $trigger/line nowhere:3
	expect_write_errno "an unknown edge" EINVAL $trigger/edge sharp
	is "the trigger is still enabled" "$(cat $trigger/enable)" 1
}

test_edges()
{
	check "a line is set" write_file $trigger/line trga:0
	before=$(blocks)
	pull trga 0 up
	is "a rising edge is an event" $(($(blocks) - before)) 1
	pull trga 0 down
	is "a falling edge is no event" $(($(blocks) - before)) 1
	check "the edge is set to falling" write_file $trigger/edge falling
	pulse trga 0
	is "a pulse is one event" $(($(blocks) - before)) 2
	check "the edge is set to both" write_file $trigger/edge both
	pulse trga 0
	is "a pulse is two events" $(($(blocks) - before)) 4
	drain 0
	check "another line is set" write_file $trigger/line trga:1
	pulse trga 0
	is "the first line makes no event" $(($(blocks) - before)) 4
	check "the edge is set to rising" write_file $trigger/edge rising
	pulse trga 1
	is "the second line makes an event" $(($(blocks) - before)) 5
	write_file $trigger/enable 0 >/dev/null
	pulse trga 1
	is "a disabled trigger has no event" $(($(blocks) - before)) 5
	write_file $trigger/enable 1 >/dev/null
	pulse trga 1
	is "an enabled trigger has an event" $(($(blocks) - before)) 6
}

test_instances()
{
	mkdir $shared/door $shared/window
	write_file $shared/door/line trga:2 >/dev/null
	write_file $shared/window/line trga:3 >/dev/null
	check "cset0 uses one shared trigger" write_file $cset0/current_trigger door
	check "cset2 uses another one" write_file $zzero/cset2/current_trigger window
	a=$(blocks) b=$(blocks $zzero/cset2)
	pulse trga 2
	pulse trga 3
	pulse trga 3
	is "each set gets the events of its line" \
		"$(($(blocks) - a)) $(($(blocks $zzero/cset2) - b))" "1 2"
	check "both sets use one trigger" write_file $zzero/cset2/current_trigger door
	pulse trga 2
	is "both sets get its events" \
		"$(($(blocks) - a)) $(($(blocks $zzero/cset2) - b))" "2 3"
	expect_write_errno "a line that is busy" EBUSY $shared/door/line trga:4
	pulse trga 2
	is "the old line still makes events" $(($(blocks) - a)) 3
	drain 0
	drain 2
}

test_unplugged()
{
	a=$(blocks)
	check "the controller is removed" unplug_chip trga
	is "there are no events" $(($(blocks) - a)) 0
	expect_write_errno "a line of the removed controller" ENODEV $shared/door/line trga:3
	check "cset0 uses another trigger" write_file $cset0/current_trigger user
	check "cset0 acquires" dd if=/dev/zio/zzero-0000-0-0-data of=/dev/null bs=16 \
		count=1
	write_file $zzero/cset2/current_trigger user >/dev/null
	echo 1 >$sim_config/trga/live
	check "the trigger is used after the controller is added" \
		write_file $cset0/current_trigger door
	a=$(blocks)
	pulse trga 2
	is "the line makes events again" $(($(blocks) - a)) 1
	write_file $cset0/current_trigger user >/dev/null
	rmdir $shared/door $shared/window
}

# The controller is removed and added while the trigger requests and frees its lines.
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
	check "a line is set after the race" write_file $trigger/line trga:5
	a=$(blocks)
	pulse trga 5
	is "the line makes an event" $(($(blocks) - a)) 1
}

if ! has_gpio_sim; then
	skip "GPIO lines" "this kernel has no gpio-sim"
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
