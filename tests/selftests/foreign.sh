#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# foreign
# not kasan: that kernel does not have the drivers
# not distro: the cards are in a machine of their own
# kernel-module: snd-intel8x0
# kernel-module: snd-ens1370
# kernel-module: snd-hda-codec-generic
# kernel-module: snd-hda-intel
# kernel-module: xhci-pci
# kernel-module: snd-usb-audio
# kernel-module: ftdi_sio
# kernel-module: 8250_pci
# qemu: -audiodev none,id=foreign -device AC97,audiodev=foreign
# qemu: -device ES1370,audiodev=foreign
# qemu: -device intel-hda -device hda-duplex,audiodev=foreign
# qemu: -chardev serial,id=pci,path=/dev/urandom -chardev serial,id=usb,path=/dev/urandom
# qemu: -device pci-serial,chardev=pci
# qemu: -device qemu-xhci -device usb-audio,audiodev=foreign -device usb-serial,chardev=usb
#
# zio-alsa and zio-uart over the drivers of the distribution: sound cards and serial ports
# that QEMU emulates. Each is unplugged while programs read and write at full load.
. "${0%/*}/lib.sh"
. "${0%/*}/lib-alsa.sh"

uart=/sys/kernel/config/zio/devices/zuart

cards()
{
	sed -n 's/^ *[0-9]* \[\([^] ]*\) *\].*/\1/p' /proc/asound/cards
}

has_cards()
{
	[ "$(cards | wc -l)" -eq "$1" ]
}

# device_of DIRECTORY: the device of PCI, or that of USB, to which a device belongs
device_of()
{
	found=$(readlink -f "$1")
	until [ -e "$found/remove" ]; do
		found=${found%/*}
		[ -n "$found" ] || return
	done
	echo "$found"
}

# unplug TEXT DIRECTORY: while $readers use the device; they end with ENODEV
unplug()
{
	device=$(device_of "$2")
	check "$1: it is unplugged" write_file "$device/remove" 1
	for reader in $readers; do
		wait "$reader"
		is "$1: a program gets ENODEV" \
			"$(grep -c "No such device" "/tmp/said-$reader")" 1
	done
}

# start COMMAND...: in the background; it says why it ends in /tmp/said-PID
start()
{
	sh -c 'exec 2>/tmp/said-$$; exec "$@"' sh "$@" &
	readers="$readers $!"
}

is_running()
{
	for reader in $readers; do
		kill -0 "$reader" || return
	done
}

# test_card ID: both directions, or the one that it has
test_card()
{
	what="$1, $2"
	direction=both out=1 readers=
	[ -e "/proc/asound/$1/pcm0c" ] || direction=playback out=0
	check "$what: a device, $direction" make_pcm c "pcm=hw:$1,0" direction=$direction
	if [ $direction = both ]; then
		is "$what: blocks come" "$(zio-dump -n 10 $node-ctrl | grep -c time)" 10
		start cat $node-data >/dev/null
	fi
	start cp /dev/zero "/dev/zio/zalsa-0000-$out-0-data"
	before=$(counter $out blocks)
	check "$what: blocks are played" wait_until 60 counter_is_over $out blocks \
		$((before + 5))
	check "$what: the programs run" is_running
	unplug "$what" "/sys/class/sound/card$(card_number "$1")/device"
	check "$what: the device is removed" wait_until 20 test ! -e $zalsa
	check "$what: the directory is removed" remove_pcm c
}

counts_frames()
{
	[ "$(cat /sys/bus/zio/devices/zuart-0000/cset0/frames)" -gt "$1" ]
}

# test_tty NAME ROUND
test_tty()
{
	what="$1, $2"
	readers=
	check "$what: a device" zio create device zuart u tty="/dev/$1" size=64 frames=4
	start cat /dev/zio/zuart-0000-0-0-data >/dev/null
	check "$what: frames come" wait_until 60 counts_frames 200
	check "$what: the program runs" is_running
	unplug "$what" "/sys/class/tty/$1/device"
	check "$what: the device is removed" wait_until 20 \
		test ! -e /sys/bus/zio/devices/zuart-0000
	check "$what: the directory is removed" rmdir $uart/u
}

# The name of the port of the card; the first four are those of the machine.
pci_port()
{
	for tty in /sys/class/tty/ttyS*/device/vendor; do
		[ ! -e "$tty" ] || { basename "${tty%/device/vendor}"; return; }
	done
}

test_round()
{
	check "$1: four sound cards" wait_until 60 has_cards 4
	check "$1: a serial port of USB" wait_until 60 test -e /dev/ttyUSB0
	for card in $(cards); do
		test_card "$card" "$1"
	done
	test_tty "$(pci_port)" "$1"
	test_tty ttyUSB0 "$1"
}

# The devices of USB come back with their host controller.
replug()
{
	for device in /sys/bus/pci/drivers/xhci_hcd/*:*; do
		write_file "$device/remove" 1 || return
	done
	write_file /sys/bus/pci/rescan 1
}

zio-load zio-uart
check "zio-alsa is loaded" has_sound
test_round "first round"
check "all devices are plugged in again" replug
test_round "second round"
check "the modules are unloaded" zio-unload zio-alsa zio-uart
done_testing
