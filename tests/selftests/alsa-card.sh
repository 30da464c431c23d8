#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# kasan
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

# The lines of list_blocks with the first sample in decimal. Blocks of silence are no part of
# the ramp.
in_decimal()
{
	while read -r number first rest; do
		[ $((0x$first)) = 0 ] || echo "$number $((0x$first)) $rest"
	done
}

# check_ramp TEXT: the lines of list_blocks. A busy machine overruns the card: then an alarm
# tells of the frames that are missing. It sets "missing" to the number of missing blocks.
check_ramp()
{
	in_decimal >/tmp/ramp
	read -r bad gaps missing <<-END
	$(check_estimate </tmp/ramp)
	END
	is "$1" "$bad" 0
	[ "$bad" = 0 ] || sed 's/^/# /' /tmp/ramp
}

buffer_is_full()
{
	local buffer=$zalsa/cset0/chan0/buffer

	[ "$(cat $buffer/queued-buffer-len)" -ge "$(cat $buffer/max-buffer-len)" ]
}

# test_ramp DEVICE WORDS
test_ramp()
{
	check "$2: a device" make_pcm r pcm=hw:Ramp,"$1" periods=32
	list_blocks 30 >/tmp/blocks
	check_ramp "$2: each frame comes, or an alarm tells" </tmp/blocks
	early=$missing
	before=$(counter 0 xruns)
	echo 1 >$ramp/overruns
	check "$2: an overrun" wait_until 20 counter_is_over 0 xruns "$before"
	{ tail -n 1 /tmp/blocks; list_blocks 60; } >/tmp/more
	lost=$(counter 0 lost_blocks) xruns=$(counter 0 xruns)
	check_ramp "$2: the length of each gap is known within two blocks" </tmp/more
	check "$2: it has lost blocks: $missing" [ "$missing" -gt 3 ]
	# On a busy machine another overrun may have come behind the last block.
	is_between "$2: each overrun is one gap" "$gaps" 1 "$xruns"
	# A full buffer loses blocks, too: no program reads any more.
	[ "$gaps" = "$xruns" ] && ! buffer_is_full || missing=$((lost - early))
	is "$2: the statistics say the same" "$lost" $((early + missing))
	echo 2 >$ramp/overruns
	check "$2: the block behind each loss tells of it" in-order $node 60
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
	list_blocks 5 >/tmp/blocks
	check_ramp "$1: blocks come when the card moves again" </tmp/blocks
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
# in less time than the rate says. What is in it may be old: the driver gives it up, and estimates
# from the time how many blocks are missing.
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
	check_ramp "a card that is fast: no block is older than the one before" </tmp/blocks
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
	check_ramp "blocks come, and the ramp is whole" </tmp/last
	check "the device is removed" remove_pcm r
}

# write_ramp BLOCKS: and waits until it was played
write_ramp()
{
	pcm-ramp write $(($1 * 960)) >/tmp/ramp
	dd if=/tmp/ramp of=$node-data bs=7680 conv=notrunc,fsync 2>/tmp/said
}

# start_counting: of the frames that the card plays
start_counting()
{
	write_file $ramp/played 0 >/dev/null
	write_file $ramp/breaks 0 >/dev/null
}

# has_played TEXT BLOCKS
has_played()
{
	is "$1: each frame, in order and once" \
		"$(cat $ramp/played) $(cat $ramp/breaks) $(counter 0 lost_blocks)" "$(($2 * 960)) 0 0"
}

test_play()
{
	check "an output" make_pcm p pcm=hw:Ramp,0 direction=playback
	start_counting
	check "fsync() waits until the card has played" write_ramp 100
	has_played "a program writes" 100
	is "no block is in flight" "$(counter 0 in-flight)" 0
	is "the end is no underrun" "$(counter 0 dry) $(cat $zalsa/cset0/chan0/alarms)" "0 0x0000"
	start_counting
	check "blocks of other sizes are played" write_file $zalsa/cset0/trigger/nsamples 333
	check "fsync() waits for them" write_ramp 7
	has_played "blocks of 333 frames" 7
	write_file $zalsa/cset0/trigger/nsamples 960 >/dev/null
}

# The program has the output open, and writes nothing.
test_underrun()
{
	write_file $zalsa/cset0/chan0/alarms 0xffff >/dev/null
	exec 3>$node-data
	pcm-ramp write 960 >&3
	check "an underrun is counted" wait_until 20 counter_is_over 0 dry 0
	is "it is an alarm" "$(cat $zalsa/cset0/chan0/alarms)" "$1"
	pcm-ramp write 960 >&3
	check "it starts again" wait_until 20 counter_is_over 0 dry 1
	exec 3>&-
}

# What the card had not played when it stopped is played after that.
test_interrupted()
{
	start_counting
	write_file $zalsa/cset0/chan0/alarms 0xffff >/dev/null
	before=$(counter 0 xruns)
	write_ramp 150 &
	writer=$!
	check "the output plays" wait_until 20 counter_is_over 0 in-flight 4
	write_file $ramp/overruns 1 >/dev/null
	check "the card stops" wait_until 20 counter_is_over 0 xruns "$before"
	for enable in 0 1 0 1 0 1; do
		write_file $zalsa/cset0/enable $enable >/dev/null
	done
	wait $writer
	is "the program sees nothing" "$?" 0
	has_played "a card that stops, and a set that is disabled" 150
	is "the stop is an alarm" "$(($(cat $zalsa/cset0/chan0/alarms) & 0x0100))" 256
}

test_repeat()
{
	start_counting
	write_file $zalsa/cset0/cyclic 1 >/dev/null
	check "a block is written" write_ramp 1
	check "it is repeated" wait_until 20 sh -c "[ \$(cat $ramp/played) -gt 30000 ]"
	is "without a break" "$(cat $ramp/breaks)" 0
	write_file $zalsa/cset0/cyclic 0 >/dev/null
	is "it ends" "$(counter 0 in-flight)" 0
}

# The blocks of a card that does not move are lost, and the next ones are played.
test_stalled_output()
{
	echo 1 >$ramp/stalled
	check_fails "the program gets an error when the card does not move" write_ramp 4
	check "the stall is counted" counter_is_over 0 stalls 0
	check "blocks are lost" counter_is_over 0 lost_blocks 0
	echo 0 >$ramp/stalled
	start_counting
	check "the card moves again" write_ramp 4
	is "it plays each frame" "$(cat $ramp/played) $(cat $ramp/breaks)" "3840 0"
}

test_removed_output()
{
	cat /dev/zero 2>/tmp/said >$node-data &
	writer=$!
	check "the output plays" wait_until 20 counter_is_over 0 in-flight 4
	check "the card is unbound" write_file /sys/bus/platform/drivers/snd-ramp/unbind snd-ramp
	wait $writer
	is "the writer gets ENODEV" "$(grep -c "No such device" /tmp/said)" 1
	check "the directory is removed" remove_pcm p
	check "the card is bound" write_file /sys/bus/platform/drivers/snd-ramp/bind snd-ramp
}

# Readers, changes and unplugs at the same time, on both processors
storm_reader()
{
	while [ ! -e /tmp/storm-over ]; do
		dd if=$node-data of=/dev/null bs=7680 count=20 2>/dev/null
		usleep 1000
	done
}

storm_player()
{
	while [ ! -e /tmp/storm-over ]; do
		dd if=/dev/zero of=/dev/zio/zalsa-0000-1-0-data bs=7680 count=20 \
			conv=notrunc,fsync 2>/dev/null
		usleep 1000
	done
}

storm_writer()
{
	while [ ! -e /tmp/storm-over ]; do
		echo 3 >$zalsa/cset0/channels
		echo 480 >$zalsa/cset0/trigger/nsamples
		for set in $zalsa/cset[01]; do
			echo 0 >$set/enable
			echo 1 >$set/enable
			echo 1 >$set/cyclic
			echo 0 >$set/cyclic
		done
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
	storm_player &
	four=$!
	made=0
	while [ $rounds -gt 0 ]; do
		rounds=$((rounds - 1))
		direction=capture
		[ $((rounds % 2)) = 1 ] || direction=both
		make_pcm s pcm=hw:Ramp,$((rounds % 2)) direction=$direction >/dev/null 2>&1 &&
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
	wait $one $two $three $four
	write_file $ramp/overruns 0 >/dev/null
	check "devices were made in the storm: $made" [ $made -gt 5 ]
	check "the card still works" make_pcm r pcm=hw:Ramp,0
	list_blocks 10 >/tmp/blocks
	check_ramp "each frame comes, or an alarm tells" </tmp/blocks
	check "the device is removed" remove_pcm r
}

test_ramp 0 "a driver that sleeps"
test_stall "a driver that sleeps"
test_ramp 1 "a driver that is told"
test_stall "a driver that is told"
test_gone
test_fast
test_play
test_underrun 0x0008
test_interrupted
test_repeat
test_stalled_output
test_removed_output
test_pci
test_suspend
test_storm
check "the module is unloaded" zio-unload zio-alsa
check "the card is unloaded" rmmod snd_ramp
done_testing
