#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# host-root
# not kasan: the interpreter of the host takes minutes there
#
# zio save and zio restore: a set-up comes back after all modules were unloaded.
. "${0%/*}/lib.sh"

config=/sys/kernel/config/zio

# Unload what no other module uses; fails while a module is left.
unload_modules()
{
	for module in /sys/module/zio*; do
		[ ! -d "$module" ] || modprobe -r "${module##*/}"
	done
	[ ! -d /sys/module/zio ]
}

# Remove what configfs has, and unload all modules of ZIO.
forget()
{
	for device in "$config"/devices/*/*/; do
		[ ! -d "$device" ] || rmdir "$device"
	done
	for set in /sys/bus/zio/devices/*/cset*; do
		[ ! -d "$set" ] || echo user >"$set/current_trigger"
	done
	for trigger in "$config"/triggers/*/*/; do
		[ ! -d "$trigger" ] || rmdir "$trigger"
	done
	wait_until 10 unload_modules
}

# Blocks that are larger than the area of a new buffer, and an area that is smaller. The
# number of blocks cannot change while one is queued: so the set of the timer is off.
set_up_buffers()
{
	zio set zzero/0 current_buffer=vmalloc timeout-ms=5000 \
		zzero-0-0/buffer max-buffer-kb=4096 watermark=3 prefer-new=1 \
		zzero-0-1 enable=0 unit=Pa scale=12e-20 offset=-7 buffer/max-buffer-kb=4000 \
		zzero-0-2 buffer/max-buffer-kb=2000 &&
	zio set zzero/0 trigger/nsamples=600000 &&
	zio set zzero/1 current_buffer=vmalloc trigger/nsamples=2000 &&
	zio set zzero/2 enable=0 current_buffer=vmalloc current_trigger=hrt \
		trigger/period-ns=20000000 trigger/clock=tai \
		zzero-2-0 gain-factor=2500 offset=7 buffer/max-buffer-len=32 \
		buffer/prefer-new=1 &&
	zio set "$rack/0" current_buffer=vmalloc trigger/nsamples=2 \
		"$rack/0/3/buffer" max-buffer-kb=4
}

set_up()
{
	zio create device zzero rack1 channels=4 ssize=2 pattern=sawtooth &&
	zio create device zzero rack2 channels=7 id=9 live=0 &&
	zio create device zzero rack3 csets=2 id=5 &&
	zio create device zzero adc channels=4 interleaved=1 device-name=adc id=7 &&
	zio set adc-0007/0/2 next-sample=9 &&
	rack=$(zio get device:rack1/name) &&
	zio create trigger hrt clock0 period-ns=10000000 phase-ns=3000 enable=0 &&
	zio create trigger chain after0 source=zzero-0005/cset0 &&
	set_up_buffers &&
	zio set "$rack/0" current_trigger=clock0 "$rack/1" current_trigger=after0 \
		zzero-0005/0 current_trigger=clock0 zzero-0005/1 trigger/enable=0 &&
	zio set "$rack/1" trigger/nsamples=16 zzero-0005-1-0 enable=0 &&
	zio set zzero-1-0/buffer source=zzero-0005-0-0 &&
	zio set trigger:clock0 enable=1
}

test_round()
{
	check "a rich set-up" set_up
	check "save" sh -c 'zio save >/tmp/a'
	[ "$status" -eq 0 ] || diag "$(tail -n 3 /tmp/a)"
	check "it has a part of an interleaved set" \
		grep -q '^adc-0007/cset0/chan2/next-sample=9$' /tmp/a
	check "it has a route" \
		grep -q '^zzero-0000/cset1/chan0/buffer/source=zzero-0005-0-0' /tmp/a
	check "a dry run finds no fault" zio restore -n /tmp/a
	is "it would stop and start what runs" "$(echo "$said" | grep -vc '/enable=')" 0
	check "a restore of what is there" zio restore /tmp/a
	check "save again" sh -c 'zio save >/tmp/b'
	check "it has changed nothing" cmp /tmp/a /tmp/b
	check "all is unloaded" forget
	check_fails "there is nothing to save" zio save
	check "restore" zio restore /tmp/a
	diag "$said"
	check "save what is restored" sh -c 'zio save >/tmp/b'
	capture diff /tmp/a /tmp/b
	is "it is as before" "$said" ''
	check "the clock runs" wait_until 10 sh -c \
		'[ $(zio get zzero-0005/0/statistics/fired) -gt 3 ]'
	is "what is disabled does not" "$(zio get zzero/2/statistics/fired)" 0
}

# Commands, and the time of a board as in ZIO 1.x, are no settings.
test_commands()
{
	check "commands: the board" zio-load zio-fake-adc
	check "commands: settings" zio set zadc transfer-mode=3 command=1 zadc/0 trigger/level=9
	check "commands: save" sh -c 'zio save >/tmp/saved'
	for line in zadc-0000/transfer-mode=3 zadc-0000/cset0/trigger/level=9; do
		check "commands: $line is saved" grep -qx $line /tmp/saved
	done
	check_fails "commands: no more" grep 'command\|fire=\|seconds\|version' /tmp/saved
	check "commands: other settings" zio set zadc transfer-mode=0 zadc/0 trigger/level=1
	check "commands: restore" zio restore /tmp/saved
	is "commands: the settings are back" "$(zio get zadc/transfer-mode \
		zadc/0/trigger/level zadc/0/enable | sed 's/.*[= ]//' | xargs)" '3 9 0'
	check "commands: the board goes" zio-unload zio-fake-adc
}

# The service starts before udev has loaded a driver.
test_wait()
{
	check "wait: all is unloaded" forget
	check "wait: the core loads" modprobe zio
	echo zzero-0000/cset0/enable=0 >/tmp/late
	check_fails "wait: not there yet" zio restore /tmp/late
	zio restore --wait=60 /tmp/late &
	child=$!
	zio-load zio-zero
	wait $child
	is "wait: it has come" $? 0
	is "wait: and is set" "$(cat $cset0/enable)" 0
}

if ! zio-load zio-trig-hrt || ! zio-load zio-trig-chain || [ ! -d $config ]; then
	skip "save and restore" "no configfs in this kernel"
	done_testing
fi
check "the other buffer loads" zio-load zio-buf-vmalloc
test_commands
test_round
test_wait
done_testing
