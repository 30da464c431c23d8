#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# kasan
# model: spi-ad788x
#
# zio-ad788x against a model of the chips on an SPI bus.
. "${0%/*}/lib.sh"

adc=/sys/bus/zio/devices/ad7888-0000
model=/sys/module/spi_ad788x/parameters
node=/dev/zio/ad7888-0000-0

plug()
{
	insmod "${0%/*}"/spi-ad788x.ko "$@" && zio-links
}

told()
{
	cat $model/"$1"
}

# ramp NODE FIRST N: a block of N samples is a part of a ramp that begins at FIRST, or
# soon after. The ramp of another channel is 512 away.
ramp()
{
	dd if="$1" bs=$((2 * $3)) count=1 2>/dev/null | od -An -v -tu2 -w2 |
		awk -v first="$2" -v n="$3" '
		NR == 1 && ($1 < first || $1 >= first + 200) { bad = 1 }
		NR > 1 && $1 != (last + 1) % 4096 { bad = 1 }
		{ last = $1 }
		END { exit bad || NR != n }'
}

# piece NODE N: a block is a part of any ramp
piece()
{
	dd if="$1" bs=$((2 * $2)) count=1 2>/dev/null | od -An -v -tu2 -w2 |
		awk -v n="$2" '
		NR > 1 && $1 != (last + 1) % 4096 { bad = 1 }
		{ last = $1 }
		END { exit bad || NR != n }'
}

# Blocks of the last channel: it is acquired last.
made()
{
	cat $adc/cset0/chan7/statistics/blocks
}

# Make an event and wait for its end. Reads make no event.
acquire()
{
	before=$(made)
	echo 1 >$adc/cset0/trigger/fire
	wait_until 10 sh -c \
		"[ \$(cat $adc/cset0/chan7/statistics/blocks) != $before ]"
}

set_trigger()
{
	write_file $adc/cset0/current_trigger "$1" >/dev/null
}

test_channels()
{
	plug
	is "eight channels of 12 bits" "$(ls -d $adc/cset0/chan? | wc -l)" 8
	for chan in 0 1 7; do
		check "channel $chan" ramp $node-$chan-data $((512 * chan)) 16
	done
	is "an event takes 129 frames" "$(told frames)" 129
	for chan in 0 2 4 6; do
		write_file $adc/cset0/chan$chan/enable 0 >/dev/null
	done
	before=$(told frames)
	check "channel 5, of four that are enabled" \
		ramp $node-5-data $((512 * 5)) 16
	is "blocks that were queued need no frames" "$(told frames)" "$before"
	for n in 1 2 3; do
		dd if=$node-5-data of=/dev/null bs=32 count=1 2>/dev/null
	done
	is "four channels take 65 frames an event" \
		$(($(told frames) - before)) $((3 * 65))
	write_file $adc/cset0/trigger/nsamples 1 >/dev/null
	is "a single sample" "$(dd if=$node-3-data bs=2 count=1 2>/dev/null |
		wc -c)" 2
	set_trigger sysfs
	drain
	write_file $adc/cset0/trigger/nsamples 400 >/dev/null
	acquire
	check "a block of 400 samples" piece $node-7-data 400
	is "no protocol was violated" "$(told violations)" 0
}

# Read what is queued on all channels.
drain()
{
	for path in $adc/cset0/chan?; do
		read-queued $node-"${path#"$adc/cset0/chan"}"
	done
}

# field NAME: of the control in $control
field()
{
	printf '%s\n' "$control" | sed -n "s/^$1=//p"
}

# Controls of later blocks show the settings.
test_control()
{
	drain
	acquire
	control=$(print-control $node-1-ctrl)
	is "bits in the control" "$(field nbits)" 12
	is "rate in the control: conversions of four channels" \
		"$(field trigger.std5)/$(field trigger.std6)" 12500/1
	is "the first conversion: 16 bits of 820.513 kHz, and 5 us to wake" \
		"$(field trigger.std7)" 24499995
	is "no older rate" "$(field channel.std3)" ""
	is "reference in the control" "$(field channel.std4)" 1
	is "power-down in the control" "$(field channel.ext0)" 1
	drain
}

test_attributes()
{
	is "the rate of the bus: 16 bits and 500 ns, for four channels" \
		"$(cat $adc/cset0/sample-rate)" 117647/4
	is "the model sees the clock of this rate" "$(told hz)" 1999999
	expect_write_errno "a rate above the maximum" ERANGE $adc/cset0/sample-rate 117648/4
	expect_write_errno "a rate below the minimum" ERANGE $adc/cset0/sample-rate 4999.8
	expect_write_errno "no rate" ERANGE $adc/cset0/sample-rate 0
	is "a rate that is refused changes nothing" "$(cat $adc/cset0/sample-rate)" 117647/4
	write_file $adc/cset0/sample-rate 12500 >/dev/null
	acquire
	is "a lower rate sets a slower clock" "$(told hz)" 820513
	is "the internal reference" $(($(told control) & 4)) 0
	expect_write_errno "no such reference" ERANGE $adc/cset0/vref-src 2
	write_file $adc/cset0/vref-src 1 >/dev/null
	acquire
	is "the external reference" $(($(told control) & 4)) 4
	is "the chip stays on between blocks" $(($(told control) & 3)) 0
	expect_write_errno "power-down refuses 2" ERANGE $adc/cset0/power-down 2
	write_file $adc/cset0/power-down 1 >/dev/null
	acquire
	is "the chip sleeps between blocks" $(($(told control) & 3)) 2
	test_control
	acquire
	check "the sleeping chip is woken for a block" piece $node-1-data 400
	is "the chip is woken in time" "$(told violations)" 0
	write_file $adc/cset0/power-down 0 >/dev/null
	drain
	set_trigger user
}

test_errors()
{
	lost=$(cat $adc/cset0/chan1/statistics/lost_blocks)
	echo 1 >$model/fail
	expect_errno "an error of the bus reaches the reader" ETIMEDOUT \
		dd if=$node-1-data of=/dev/null bs=800 count=1
	is "the error is counted" "$(cat $adc/cset0/statistics/io_errors)" 1
	is "the error is a loss" $(($(cat $adc/cset0/chan1/statistics/lost_blocks) - lost)) 1
	check "the block after the error is right" dd if=$node-1-data of=/dev/null bs=800 \
		count=1
	set_trigger sysfs
	drain
	set_trigger user
	echo 64 >$model/longest
	expect_errno "a block that the bus cannot carry" EMSGSIZE \
		dd if=$node-1-data of=/dev/null bs=800 count=1
	echo 0 >$model/longest
	echo 1 >$model/stuck
	expect_errno "a chip that does not answer" EIO \
		dd if=$node-1-data of=/dev/null bs=800 count=1
	echo 0 >$model/stuck
	check "the chip answers again" dd if=$node-1-data of=/dev/null bs=800 count=1
	set_trigger hrt
	drain
	write_file $adc/cset0/trigger/nsamples 16 >/dev/null
	write_file $adc/cset0/trigger/period-ns 10000000 >/dev/null
	check "a block at each tick" piece $node-3-data 16
	set_trigger user
	is "no protocol was violated" "$(told violations)" 0
}

# The bus is removed under a reader.
test_unplug()
{
	cat $node-1-data 2>/tmp/said >/dev/null &
	before=$(cat $adc/cset0/chan1/statistics/blocks)
	wait_until 20 sh -c \
		"[ \$(cat $adc/cset0/chan1/statistics/blocks) -gt $((before + 20)) ]"
	check "unplug under a reader" rmmod spi-ad788x
	wait
	is "the reader gets ENODEV" "$(grep -c 'No such device' /tmp/said)" 1
	is "the board is removed" "$(ls -d $adc 2>/dev/null)" ""
}

test_ad7887()
{
	adc=/sys/bus/zio/devices/ad7887-0000
	node=/dev/zio/ad7887-0000-0
	plug chip=ad7887
	is "an AD7887 has two channels" "$(ls -d $adc/cset0/chan? | wc -l)" 2
	check "channel 0 of an AD7887" ramp $node-0-data 0 16
	check "channel 1 of an AD7887" ramp $node-1-data 512 16
	is "its reference is the supply" "$(cat $adc/cset0/vref-src) $(stat -c %a \
		$adc/cset0/vref-src)" "2 444"
	is "nobody has told its voltage: the samples are numbers" \
		"$(scaling 1)" "none 1 0 0"
	is "the control register of an AD7887" $(($(told control))) $((0x31))
	write_file $adc/cset0/power-down 1 >/dev/null
	check "channel 0 with power-down" ramp $node-0-data 0 16
	check "channel 1 with power-down" ramp $node-1-data 512 16
	is "no protocol was violated" "$(told violations)" 0
	rmmod spi-ad788x
}

# scaling CHANNEL
scaling()
{
	echo $(cd $adc/cset0/chan"$1" && cat unit scale offset signed)
}

test_reference()
{
	adc=/sys/bus/zio/devices/ad7888-0000
	plug vref=3300000
	is "the internal reference is 2.5 V" "$(scaling 0)" "V 0.0006103515625 0 0"
	is "12 bits of 16" "$(cat $adc/cset0/chan0/type | cut -c 4-)" "u12/16>>0"
	write_file $adc/cset0/chan7/offset -0.003 >/dev/null
	write_file $adc/cset0/chan7/scale 0.00061 >/dev/null
	is "a user calibrates a channel" "$(scaling 7) $(scaling 6)" \
		"V 0.00061 -0.003 0 V 0.0006103515625 0 0"
	write_file $adc/cset0/vref-src 1 >/dev/null
	is "the external reference has another voltage" "$(scaling 0) $(scaling 7)" \
		"V 0.0008056640625 0 0 V 0.0008056640625 0 0"
	write_file $adc/cset0/vref-src 0 >/dev/null
	is "and back" "$(scaling 0)" "V 0.0006103515625 0 0"
	rmmod spi-ad788x
	adc=/sys/bus/zio/devices/ad7887-0000
	plug chip=ad7887 vref=5000000
	is "the supply of an AD7887 is its reference" "$(scaling 1)" "V 0.001220703125 0 0"
	rmmod spi-ad788x
	plug chip=ad7887 vref=5250001
	is "a reference that the chip does not stand" "$(ls -d $adc 2>/dev/null)" ""
	rmmod spi-ad788x
}

test_slow_bus()
{
	plug speed=1000000
	is "half of the clock gives nearly half of the rate" \
		"$(cat /sys/bus/zio/devices/ad7888-0000/cset0/sample-rate)" 30303/4
	rmmod spi-ad788x
	plug speed=300000
	is "a bus that is too slow has no board" \
		"$(ls -d /sys/bus/zio/devices/ad7888* 2>/dev/null)" ""
	rmmod spi-ad788x
}

if ! modprobe zio-ad788x 2>/dev/null; then
	skip "AD788x" "this kernel has no SPI"
	done_testing
fi
modprobe -a zio-trig-sysfs zio-trig-hrt
test_channels
test_attributes
test_errors
test_unplug
test_ad7887
test_reference
test_slow_bus
done_testing
