#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# not kasan: a player must keep up with the clock; alsa-card.sh takes the same ways
# kernel-module: snd-aloop
# kernel-module: snd-dummy
#
# zio-alsa: a ramp through the loop of snd-aloop, both ways, and what users do wrong.
. "${0%/*}/lib.sh"
. "${0%/*}/lib-alsa.sh"

has_sound || {
	skip "sound cards" "this kernel has no sound"
	done_testing
}

plain="format=S32 rate=48000 channels=2 periods=64"

test_config()
{
	is "there is no device by default" "$(ls -d $zalsa 2>/dev/null)" ""
	expect_errno "no PCM is named" EINVAL make_pcm p
	expect_errno "a name of another kind" EINVAL make_pcm p pcm=default
	check_fails "an unknown card" make_pcm p pcm=hw:9,0
	is "the error is ENODEV" "$(echo "$said" | grep -c "No such device:")" 1
	check_fails "an unknown device" make_pcm p pcm=hw:Loopback,7
	is "the error is ENODEV" "$(echo "$said" | grep -c "No such device:")" 1
	expect_errno "a rate that the card does not have" ERANGE \
		make_pcm p pcm=hw:Dummy,0 rate=500000
	check "the log has the rates of the card" \
		has_log 'rate 500000 is not possible: the hardware offers 5500 to 48000'
	expect_errno "a format that the card does not have" EINVAL \
		make_pcm p pcm=hw:Dummy,0 format=S24_3
	check "the log has the formats of the card" \
		has_log 'format S24_3 is not possible: the hardware offers S16 U8'
	expect_errno "a period that does not fit" ERANGE \
		make_pcm p pcm=hw:Dummy,0 period=1000000
	expect_errno "one period, which is filled and read at once" ERANGE \
		make_pcm p pcm=hw:Dummy,0 periods=1
	check "the log has the reason" has_log 'periods 1 is not possible: use 2 or more'
	is "no directory is left" "$(ls $config)" ""
}

test_description()
{
	check "a device for both directions" make_pcm l pcm=hw:Loopback,1 \
		direction=both format=S32 rate=48000 channels=2 period=256 periods=8
	is "it has an input and an output" \
		"$(cat $zalsa/cset*/direction | xargs)" "input output"
	is "rate, period, memory" "$(cat $zalsa/cset0/rate $zalsa/cset0/period \
		$zalsa/cset0/buffer-frames | xargs)" "48000 256 2048"
	is "a block is a period of two channels" "$(cat $zalsa/cset0/trigger/nsamples \
		$zalsa/cset0/ssize $zalsa/cset0/channels | xargs)" "256 4 0x3"
	is "samples are signed, and full scale is 1" \
		"$(cat $zalsa/cset0/chan0/signed $zalsa/cset0/chan0/scale | xargs)" \
		"1 0.00000000046566128730773926"
	expect_errno "a second device finds the PCM busy" EBUSY \
		make_pcm q pcm=hw:Loopback,1
	check_fails "the driver of the card is in use" rmmod snd-aloop
	check "the device is removed" remove_pcm l
	check "the PCM is free again" make_pcm q pcm=hw:Loopback,1
	is "the driver chooses 16 bits, 48 kHz, two channels, 1024 frames" \
		"$(cat $zalsa/cset0/ssize $zalsa/cset0/rate $zalsa/cset0/channels \
		$zalsa/cset0/period | xargs)" "2 48000 0x3 1024"
	check "the device is removed" remove_pcm q
}

# play_ramp FRAMES: in the background, to the other end of the cable
play_ramp()
{
	pcm-ramp play /dev/snd/pcmC"$loop"D0p "$1" >/tmp/played 2>&1 &
	player=$!
}

# capture_ramp TEXT FRAMES [CHANNEL]
capture_ramp()
{
	text=$1
	shift
	cat $node-data 2>/dev/null | pcm-ramp check "$@" >/tmp/checked 2>&1 &
	checker=$!
	play_ramp "$1"
	wait $checker
	is "$text" "$? $(cat /tmp/checked)" "0 "
	wait $player
	is "$text: the program has played" "$? $(cat /tmp/played)" "0 "
}

test_capture()
{
	check "a capture device" make_pcm mic pcm=hw:Loopback,1 $plain
	capture_ramp "a reader gets each frame of the ramp" 96000
	is "the PCM never stopped" "$(counter 0 xruns) $(counter 0 stalls)" "0 0"
	write_file $zalsa/cset0/channels 2 >/dev/null
	capture_ramp "the second channel alone" 48000 1
	write_file $zalsa/cset0/channels 3 >/dev/null
	write_file $zalsa/cset0/trigger/nsamples 300 >/dev/null
	capture_ramp "blocks that are shorter than a period" 24000
	write_file $zalsa/cset0/trigger/nsamples 5000 >/dev/null
	capture_ramp "blocks of several periods" 48000
	write_file $zalsa/cset0/trigger/nsamples 100000 >/dev/null
	zio flush zalsa/0 >/dev/null
	is "a block has at most half of the memory of the card" \
		"$(zio-dump -n 1 $node-ctrl | sed -n 's/.*: \([0-9]*\) samples.*/\1/p')" 65536
	write_file $zalsa/cset0/trigger/nsamples 1024 >/dev/null
}

# The time stamp is that of the first frame: it advances by 1024 / 48000 s, and a block is
# not from the future.
test_times()
{
	zio-dump -n 40 $node-ctrl | sed -n 's/.*time *\([0-9.]*\) .*/\1/p' |
		awk -v now="$(date +%s)" '
		NR > 20 { n++; sum += $1 - last; if ($1 <= last) back++ }
		{ last = $1 }
		END { printf "%d %d %.3f\n", back, (last > now + 60), sum / n }' >/tmp/times
	is "blocks follow each other by 1024 frames of 48 kHz" \
		"$(cat /tmp/times)" "0 0 0.021"
	zio-dump -f json -n 100 $node-ctrl >/tmp/times
	is "the times continue: by the rate, and the error that the controls tell" \
		"$(tail -n 50 /tmp/times | grep -c breaks)" 0
	print-control $node-ctrl >/tmp/control
	error=$(sed -n 's/^trigger.std9=//p' /tmp/control)
	check "the error of the time is less than 5 ms: $error ns" [ "$error" -lt 5000000 ]
	is "the rate is that of the card" \
		"$(grep -cx 'trigger.std5=48000\|trigger.std6=1' /tmp/control)" 2
}

# No program reads for some seconds of the ramp. Each missing block is counted, and the ramp
# tells that the count is exact.
test_loss()
{
	before=$(counter 0 lost_blocks)
	zio flush zalsa/0 >/dev/null
	play_ramp 480000
	check "the hardware goes on" wait_until 60 \
		has_moved Loopback 0 p 120000
	list_blocks 60 >/tmp/blocks
	kill $player
	wait $player 2>/dev/null
	missing=$(check_gaps 1024 </tmp/blocks)
	check "the ramp says how many blocks are missing: $missing" [ "$missing" -gt 0 ]
	check "the statistics have counted them" \
		[ $(($(counter 0 lost_blocks) - before)) -ge "$missing" ]
	check "a block has the alarm of a gap" grep -q "driver 0x01" /tmp/blocks
	is "the PCM never stopped" "$(counter 0 xruns)" 0
	check "the device is removed" remove_pcm mic
}

test_playback()
{
	check "a playback device" make_pcm out pcm=hw:Loopback,0 direction=playback $plain
	pcm-ramp record /dev/snd/pcmC"$loop"D1c 96000 >/tmp/recorded 2>&1 &
	recorder=$!
	check "a program records" wait_until 20 is_pcm_state Loopback 1 c RUNNING
	check "the ramp is written" sh -c "pcm-ramp write 96000 >$node-data"
	wait $recorder
	is "the program gets each frame of the ramp" "$? $(cat /tmp/recorded)" "0 "
	check "the output ends" wait_until 20 is_pcm_state Loopback 0 p XRUN
	pcm-ramp record /dev/snd/pcmC"$loop"D1c 100 >/tmp/recorded 2>&1 &
	recorder=$!
	check "a program records" wait_until 20 is_pcm_state Loopback 1 c RUNNING
	check "a ramp that is shorter than a period is written" \
		sh -c "pcm-ramp write 100 >$node-data"
	wait $recorder
	is "the program gets it" "$? $(cat /tmp/recorded)" "0 "
	check "the output has counted the start" counter_is_over 0 xruns 0
	is "and what a program had written came to its end, without an alarm" \
		"$(counter 0 dry) $(cat $zalsa/cset0/chan0/alarms)" "0 0x0000"
	check "the device is removed" remove_pcm out
}

# A card whose driver copies the samples itself: snd-dummy
test_dummy()
{
	check "a device of snd-dummy" make_pcm d pcm=hw:Dummy,0 direction=both
	is "ten blocks come" "$(zio-dump -n 10 $node-ctrl | grep -c time)" 10
	head -c 40000 /dev/zero >/tmp/zeros
	check "blocks are played" cp /tmp/zeros /dev/zio/zalsa-0000-1-0-data
	check "all of them" wait_until 20 sh -c \
		"[ $(counter 1 bytes) -ge 40000 ] || [ \$(cat $zalsa/cset1/chan0/statistics/bytes) -ge 40000 ]"
	check "the device is removed" remove_pcm d
}

# The card is unbound while a program waits for a block.
test_unbind()
{
	check "a capture device" make_pcm mic pcm=hw:Loopback,1 $plain
	hold_node $node
	cat $node-data >/dev/null 2>/tmp/said &
	reader=$!
	wait_for_reader $reader
	check "the card is unbound" write_file /sys/bus/platform/drivers/snd_aloop/unbind \
		snd_aloop.0
	is "the device is removed with it" "$(ls -d $zalsa 2>/dev/null)" ""
	wait $reader
	is "the reader gets ENODEV" "$(grep -c "No such device" /tmp/said)" 1
	release_node
	check "the directory is removed" remove_pcm mic
	check "the card is bound again" write_file \
		/sys/bus/platform/drivers/snd_aloop/bind snd_aloop.0
	check "a device of the new card" make_pcm mic pcm=hw:Loopback,1
	is "it has blocks" "$(zio-dump -n 3 $node-ctrl | grep -c time)" 3
	check "the device is removed" remove_pcm mic
}

# The other end of the cable starts with another rate. snd-aloop then stops the capture, and
# refuses to start it. Both ends have chosen their rates before one of them is prepared:
# later there is no other rate to choose.
test_other_format()
{
	rmmod snd-aloop
	modprobe snd-aloop pcm_substreams=1 pcm_notify=1
	loop=$(card_number Loopback)
	mkfifo /tmp/start
	pcm-ramp late /dev/snd/pcmC"$loop"D0p 500000 44100 </tmp/start >/dev/null 2>&1 &
	player=$!
	exec 7>/tmp/start
	check "a program has another rate" wait_until 20 \
		grep -q "^rate: 44100" /proc/asound/Loopback/pcm0p/sub0/hw_params
	check "a capture device" make_pcm mic pcm=hw:Loopback,1 $plain
	cat $node-data >/dev/null 2>/tmp/said &
	reader=$!
	wait_for_reader $reader
	echo >&7
	check "the reader gets EIO" wait_until 20 grep -q "Input/output error" /tmp/said
	kill $player $reader 2>/dev/null
	wait $player $reader 2>/dev/null
	exec 7>&-
	check "blocks come again when the program has left" wait_until 20 \
		sh -c "timeout 10 zio-dump -n 1 $node-ctrl | grep -q time"
	check "the device is removed" remove_pcm mic
}

# One cable: the second user of a PCM finds it busy.
rmmod snd-aloop
modprobe snd-aloop pcm_substreams=1
loop=$(card_number Loopback)
test_config
test_description
test_capture
test_times
test_loss
test_playback
test_dummy
test_unbind
test_other_format
check "the module is unloaded" zio-unload zio-alsa
done_testing
