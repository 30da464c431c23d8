#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# kasan
# kernel-module: industrialio-triggered-buffer
# kernel-module: iio_dummy
# kernel-module: i2c-dev
# kernel-module: mag3110
# kernel-module: ti-ads1015
# kernel-module: uhid
# kernel-module: hid-sensor-accel-3d
# kernel-file: i2c-stub
#
# zio-iio with drivers of the kernel as they are: two chips on an emulated I2C bus, a
# sensor on an emulated HID bus, and iio_dummy (which loses some memory, so this test does
# not run with kmemleak).
. "${0%/*}/lib.sh"
. "${0%/*}/lib-iio.sh"

# set_byte CHIP REGISTER VALUE [w]
set_byte()
{
	busybox i2cset -f -y "$bus" "$1" "$2" "$3" "${4:-b}"
}

find_bus()
{
	for name in /sys/bus/i2c/devices/i2c-*/name; do
		if grep -q stub "$name"; then
			bus=${name%/name}
			bus=${bus##*/i2c-}
		fi
	done
	adapter=/sys/bus/i2c/devices/i2c-$bus
}

# A chip with three axes of 16 bits, most significant byte first, and a thermometer
test_mag3110()
{
	set_byte 0x0e 7 0xc4
	set_byte 0x0e 0 7
	value=1
	for byte in 0x12 0x34 0x56 0x78 0x9a 0xbc; do
		set_byte 0x0e $value $byte
		value=$((value + 1))
	done
	set_byte 0x0e 0x0f 0x19
	echo mag3110 0x0e >"$adapter"/new_device
	check "the driver mag3110 makes an IIO device" wait_until 20 has_iio mag3110
	check "it becomes a ZIO device" make_iio m iio=mag3110 nsamples=2
	zio-links
	is "its sets" "$(cat $ziio/cset*/name | xargs)" "magn temp"
	is "their units" "$(cat $ziio/cset*/chan0/unit | xargs)" "T degC"
	is "their scales" "$(cat $ziio/cset*/chan0/scale | xargs)" "0.0000001 1"
	is "the field, twice" "$(samples 0-0 d2 12)" "4660 22136 -25924 4660 22136 -25924"
	is "the temperature, twice" "$(samples 1-0 d1 2)" "25 25"
	set_byte 0x0e 1 0xff
	is "another field" "$(samples 0-0 d2 12)" "-204 22136 -25924 -204 22136 -25924"
	zio-load zio-trig-sysfs
	mkdir /sys/kernel/config/zio/triggers/sysfs/both
	write_file $ziio/cset0/current_trigger both >/dev/null
	write_file $ziio/cset1/current_trigger both >/dev/null
	echo 1 >/sys/kernel/config/zio/triggers/sysfs/both/fire
	check "a trigger of ZIO drives both sets" wait_until 20 has_blocks 3 2
	is "both have the time of the event" "$({ next_control 0-0; next_control 1-0; } |
		awk '/time/ { print $2 }' | sort -u | wc -l)" 1
	echo 0x0e >"$adapter"/delete_device
	check "the chip is unplugged, and the ZIO device goes" wait_until 20 is_gone
	remove_iio m
	rmdir /sys/kernel/config/zio/triggers/sysfs/both
}

has_blocks()
{
	[ "$(queued 0) $(queued 1)" = "$*" ]
}

# 12 bits, 4 bits up; the driver reads one channel at a time
test_ads1015()
{
	set_byte 0x48 0 0x3412 w
	echo ads1015 0x48 >"$adapter"/new_device
	wait_until 20 has_iio ads1015
	expect_errno "a scan that the chip cannot do" EINVAL make_iio a iio=ads1015
	check "one channel" make_iio a channels=voltage0-voltage1 nsamples=3
	zio-links
	is "its samples" "$(samples 0-0 d2 6)" "291 291 291"
	set_byte 0x48 0 0x00f0 w
	is "a negative one" "$(samples 0-0 d2 2)" "-256"
	is "valid bits" "$(next_control 0-0 | grep -c '(12 bits)')" 1
	echo 0x48 >"$adapter"/delete_device
	check "the chip is unplugged, and the ZIO device goes" wait_until 20 is_gone
	remove_iio a
}

# The sensor sends its scans by itself, from an interrupt handler.
test_hid()
{
	mkfifo /tmp/reports
	uhid-accel </tmp/reports &
	sensor=$!
	exec 5>/tmp/reports
	check "the driver hid-sensor-accel-3d makes an IIO device" wait_until 20 has_iio accel_3d
	check "it becomes a ZIO device" make_iio h iio=accel_3d nsamples=2
	zio-links
	is "its trigger is its own" "$(cat $ziio/cset0/current_trigger)" transparent
	echo 4 >&5
	check "two blocks" wait_until 20 has_count 2
	is "the first scans" "$(samples 0-0 d4 24)" "1 34 -1 2 34 -2"
	is "the next scans" "$(samples 0-0 d4 24)" "3 34 -3 4 34 -4"
	exec 5>&-
	wait $sensor
	check "the sensor is unplugged, and the ZIO device goes" wait_until 20 is_gone
	remove_iio h
}

has_iio()
{
	[ -n "$(iio_of "$1")" ]
}

has_count()
{
	[ "$(queued 0)" -ge "$1" ]
}

test_dummy()
{
	mkdir /sys/kernel/config/iio/devices/dummy/pretend 2>/dev/null || {
		skip "iio_dummy" "this kernel has none"
		return
	}
	check "iio_dummy" make_iio d iio=pretend nsamples=2
	zio-links
	is "its sets" "$(cat $ziio/cset*/name | xargs)" "voltage voltage accel"
	is "voltage0" "$(samples 0-0 u2 4)" "7 7"
	is "differences" "$(samples 1-0 d2 8)" "-33 -2 -33 -2"
	is "acceleration" "$(samples 2-0 d2 4)" "344 344"
	echo 0 >$config/d/live
	check "iio_dummy in the mode \"read\"" make_iio d mode=read
	zio-links
	is "voltage0, as in its file" "$(samples 0-0 d4 4)" "$(cat $ziio/iio/in_voltage0_raw)"
	is "acceleration, as in its file" "$(samples 2-0 d4 4)" "$(cat $ziio/iio/in_accel_x_raw)"
	rmdir /sys/kernel/config/iio/devices/dummy/pretend
	check "the ZIO device goes" wait_until 20 is_gone
	remove_iio d
}

if ! [ -e /sys/bus/iio ] || ! zio-load zio-iio; then
	skip "IIO" "this kernel has none"
	done_testing
	exit 0
fi
if insmod "${0%/*}"/i2c-stub.ko chip_addr=0x0e,0x48 2>/dev/null; then
	find_bus
	test_mag3110
	test_ads1015
	rmmod i2c-stub
else
	skip "chips on I2C" "this kernel has no i2c-stub"
fi
if [ -e /dev/uhid ]; then
	test_hid
else
	skip "a sensor on HID" "this kernel has no uhid"
fi
test_dummy
check "the module is unloaded" zio-unload zio-iio
done_testing
