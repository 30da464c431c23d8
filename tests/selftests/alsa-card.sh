#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kernel-module: snd-pcm
# kernel-module: snd-hda-codec-generic
# kernel-module: snd-hda-intel
# model: snd-ramp
# suspends
# qemu: -device intel-hda -device hda-duplex,audiodev=none -audiodev none,id=none
#
# zio-alsa with cards that fail: overruns, stalls, unplugs, suspend. The card Ramp is a model
# whose driver sleeps; QEMU emulates the card Intel.
. "${0%/*}/lib.sh"
. "${0%/*}/lib-alsa.sh"

if ! has_sound || ! insmod "${0%/*}"/snd-ramp.ko; then
	skip "sound cards" "this kernel has no sound"
	done_testing
fi

# An estimated loss is right within two blocks, and the ramp tells the rest.
check_estimate()
{
	awk '
		NR > 1 {
			jump = $2 - last - 960 * ($1 - before)
			if (jump && !/0x03/) bad++
			if (jump > 1920 || jump < -1920) bad++
			if ($1 - before > 1) lost += $1 - before - 1
			if (/0x03/) gaps++
		}
		{ last = $2; before = $1 }
		END { print bad + 0, gaps + 0, lost + 0 }'
}

# The lines of list_blocks with the first sample in decimal
in_decimal()
{
	while read -r number first rest; do
		echo "$number $((0x$first)) $rest"
	done
}

# test_ramp DEVICE WORDS
test_ramp()
{
	check "$2: a device" make_pcm r pcm=hw:Ramp,"$1" periods=32
	list_blocks 30 >/tmp/blocks
	is "$2: each frame comes, and none is missing" "$(check_gaps 960 </tmp/blocks)" 0
	before=$(counter 0 xruns)
	echo 1 >$ramp/overruns
	check "$2: an overrun" wait_until 20 counter_is_over 0 xruns "$before"
	{ tail -n 1 /tmp/blocks; list_blocks 60; } | in_decimal >/tmp/ramp
	lost=$(counter 0 lost_blocks) xruns=$(counter 0 xruns)
	read -r bad gaps missing <<-END
	$(check_estimate </tmp/ramp)
	END
	is "$2: the length of each gap is known within two blocks" "$bad" 0
	[ "$bad" = 0 ] || sed 's/^/# /' /tmp/ramp
	check "$2: it has lost blocks: $missing" [ "$missing" -gt 3 ]
	# On a busy machine another overrun may have come behind the last block.
	is_between "$2: each overrun is one gap" "$gaps" 1 "$xruns"
	[ "$gaps" = "$xruns" ] || missing=$lost
	is "$2: the statistics say the same" "$lost" "$missing"
}

test_stall()
{
	zio flush zalsa/0 >/dev/null
	echo 1 >$ramp/stalled
	cat $node-data >/dev/null 2>/tmp/said
	is "$1: when no period comes, the reader gets ETIMEDOUT" \
		"$(grep -c "Connection timed out" /tmp/said)" 1
	is "$1: the stall is counted" "$(counter 0 stalls)" 1
	echo 0 >$ramp/stalled
	is "$1: blocks come when the card moves again" \
		"$(list_blocks 5 | check_gaps 960)" 0
	check "$1: the device is removed" remove_pcm r
}

# The card disappears, and its driver stays, as with some USB cards.
test_gone()
{
	check "a device" make_pcm r pcm=hw:Ramp,0
	cat $node-data >/dev/null 2>/tmp/said &
	reader=$!
	wait_for_reader $reader
	check "the card is disconnected" write_file $ramp/gone 1
	wait $reader
	is "the reader gets ENODEV" "$(grep -c "No such device" /tmp/said)" 1
	check "the device is removed" wait_until 20 test ! -e $zalsa
	check "the directory is removed" remove_pcm r
	check "the driver of the card is not in use" rmmod snd_ramp
	check "the driver is loaded again" insmod "${0%/*}"/snd-ramp.ko
}

# The card is half as fast again as its rate. Its memory goes round while no period is told,
# in less time than the rate says.
test_fast()
{
	rmmod snd_ramp
	check "a card with another quartz" insmod "${0%/*}"/snd-ramp.ko real_rate=72000
	check "a device" make_pcm r pcm=hw:Ramp,0 periods=8
	list_blocks 150 >/tmp/blocks &
	reader=$!
	check "the rate is measured" wait_until 20 counter_is_over 0 blocks 90
	echo 9600 >$ramp/hold
	wait $reader
	missing=$(check_gaps 960 </tmp/blocks)
	check "the ramp says how many blocks are missing: $missing" [ "$missing" -ge 3 ]
	check "a block has the alarms of a gap and of an estimate" \
		grep -q "driver 0x03" /tmp/blocks
	check "the device is removed" remove_pcm r
	rmmod snd_ramp
	check "the driver is loaded again" insmod "${0%/*}"/snd-ramp.ko
}

test_pci()
{
	[ -e /proc/asound/Intel ] || {
		skip "HDA" "the card is missing"
		return
	}
	check "a device of an HDA card" make_pcm h pcm=hw:Intel,0 direction=both
	is "blocks come" "$(zio-dump -n 10 $node-ctrl | grep -c time)" 10
	is "none is lost" "$(counter 0 lost_blocks)" 0
	head -c 400000 /dev/zero >/tmp/zeros
	check "blocks are played" cp /tmp/zeros /dev/zio/zalsa-0000-1-0-data
	cat $node-data >/dev/null 2>/tmp/said &
	reader=$!
	wait_for_reader $reader
	check "the PCI device is removed" write_file \
		/sys/class/sound/card"$(card_number Intel)"/device/remove 1
	wait $reader
	is "the reader gets ENODEV" "$(grep -c "No such device" /tmp/said)" 1
	check "the directory is removed" remove_pcm h
}

# The machine goes to sleep and wakes up, but for the processors.
test_suspend()
{
	can_suspend || { skip "suspend" "this kernel cannot test it"; return; }
	check "a device" make_pcm r pcm=hw:Ramp,0
	is "blocks come" "$(zio-dump -n 5 $node-ctrl | grep -c time)" 5
	check "the machine sleeps" suspend 0
	check "the PCM is started again" wait_until 20 counter_is_over 0 xruns 0
	zio flush zalsa/0 >/dev/null
	list_blocks 30 | tail -n 10 >/tmp/last
	is "blocks come, and the ramp is whole" "$(check_gaps 960 </tmp/last)" 0
	check "the device is removed" remove_pcm r
}

# Readers, changes and unplugs at the same time, on both processors
storm_reader()
{
	while [ ! -e /tmp/storm-over ]; do
		dd if=$node-data of=/dev/null bs=7680 count=20 2>/dev/null
		usleep 1000
	done
}

storm_writer()
{
	while [ ! -e /tmp/storm-over ]; do
		echo 3 >$zalsa/cset0/channels
		echo 480 >$zalsa/cset0/trigger/nsamples
		echo 0 >$zalsa/cset0/enable
		echo 1 >$zalsa/cset0/enable
		echo 1 >$ramp/overruns
		usleep 20000
	done 2>/dev/null
}

test_storm()
{
	rounds=30
	is_debug_kernel && rounds=15
	rm -f /tmp/storm-over
	storm_reader &
	one=$!
	storm_reader &
	two=$!
	storm_writer &
	three=$!
	made=0
	while [ $rounds -gt 0 ]; do
		rounds=$((rounds - 1))
		make_pcm s pcm=hw:Ramp,$((rounds % 2)) >/dev/null 2>&1 &&
			made=$((made + 1))
		usleep 100000
		case $((rounds % 3)) in
		0) write_file /sys/bus/platform/drivers/snd-ramp/unbind snd-ramp ;;
		1) write_file $config/s/live 0 ;;
		esac
		rmdir $config/s
		write_file /sys/bus/platform/drivers/snd-ramp/bind snd-ramp
	done >/dev/null 2>&1
	touch /tmp/storm-over
	wait $one $two $three
	write_file $ramp/overruns 0 >/dev/null
	check "devices were made in the storm: $made" [ $made -gt 5 ]
	check "the card still works" make_pcm r pcm=hw:Ramp,0
	is "each frame comes" "$(list_blocks 10 | check_gaps 960)" 0
	check "the device is removed" remove_pcm r
}

test_ramp 0 "a driver that sleeps"
test_stall "a driver that sleeps"
test_ramp 1 "a driver that is told"
test_stall "a driver that is told"
test_gone
test_fast
test_pci
test_suspend
test_storm
check "the module is unloaded" zio-unload zio-alsa
check "the card is unloaded" rmmod snd_ramp
done_testing
