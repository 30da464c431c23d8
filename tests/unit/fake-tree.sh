# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# A tree of files that stands for sysfs and configfs, for tests of zio.
# shellcheck source-path=SCRIPTDIR disable=SC1091
. "${BASH_SOURCE[0]%/*}/shell-tap.sh"
devices= # make_tree() sets it

# make_fake_zio: makes a program "fake-zio", which is zio. It and the programs that it runs
# take directories of files for configfs.
make_fake_zio()
{
	cat >fake-zio <<-END
		#!/bin/sh
		ASAN_OPTIONS=\$ASAN_OPTIONS:verify_asan_link_order=0
		export ASAN_OPTIONS LD_PRELOAD="$bin/fake-configfs.so"
		exec "$bin/zio" "\$@"
	END
	chmod 755 fake-zio
	zio=$PWD/fake-zio
}

# put_file FILE TEXT [MODE]: makes a file. It starts few processes: there are hundreds.
put_file()
{
	[ -d "${1%/*}" ] || mkdir -p "${1%/*}"
	umask $((666 - ${3-644}))
	printf '%s\n' "$2" >"$1"
	umask 022
}

# make_trigger DIRECTORY NAME
make_trigger()
{
	put_file "$1/name" "$2" 444
	put_file "$1/enable" 1
	put_file "$1/nshots" 1
	put_file "$1/nsamples" 16
}

# make_channel DIRECTORY ADDRESS
make_channel()
{
	put_file "$1/name" "${1##*/}" 444
	put_file "$1/address" "$2" 444
	put_file "$1/enable" 1
	put_file "$1/alarms" 0x0000
	head -c 512 /dev/zero >"$1/current-control"
	put_file "$1/statistics/blocks" 100 444
	put_file "$1/statistics/bytes" 1600 444
	put_file "$1/statistics/lost_blocks" 3 444
	put_file "$1/buffer/name" kmalloc 444
	put_file "$1/buffer/max-buffer-len" 16
	put_file "$1/buffer/queued-buffer-len" 5 444
}

# make_cset DIRECTORY ADDRESS DIRECTION CHANNELS
make_cset()
{
	local chan
	put_file "$1/name" "${1##*/}" 444
	put_file "$1/direction" "$3" 444
	put_file "$1/ssize" 1 444
	put_file "$1/enable" 1
	put_file "$1/current_buffer" kmalloc
	put_file "$1/current_trigger" user
	put_file "$1/statistics/fired" 100 444
	put_file "$1/statistics/lost_triggers" 0 444
	put_file "$1/statistics/io_errors" 0 444
	cp accepted "$1/accepted"
	make_trigger "$1/trigger" user
	for ((chan = 0; chan < $4; chan++)); do
		make_channel "$1/chan$chan" "$2-$chan"
	done
}

# make_device SYSFS NAME
make_device()
{
	local at=$1/bus/zio/devices/$2
	make_cset "$at/cset0" "$2-0" input 3
	make_cset "$at/cset1" "$2-1" output 1
	put_file "$at/cset1/name" player 444
	put_file "$at/uevent" DRIVER=zio
	put_file "$at/power/control" auto
}

# make_tree: makes sysfs and configfs in the current directory, for zio
make_tree()
{
	rm -rf sysfs configfs
	put_file sysfs/bus/zio/version 1.4 444
	printf 'kmalloc\nvmalloc\n' >sysfs/bus/zio/available_buffers
	printf 'user\nhrt\n' >sysfs/bus/zio/available_triggers
	cat >accepted <<-'END'
		enable 0 1
		current_buffer kmalloc vmalloc
		current_trigger user hrt clock7
		trigger/nshots 1
		trigger/period-ns [1000 1 31536000000000000]
		chan*/alarms [0 1 65535]
		chan*/gain 1 2 5 10
		chan*/buffer/source <channel>
		chan*/buffer/watermark [1 1 max-buffer-len]
		...
	END
	make_device "$PWD/sysfs" zzero-0000
	make_device "$PWD/sysfs" zzero-0001
	mkdir -p configfs/zio/triggers/hrt/.new configfs/zio/triggers/timer \
		configfs/zio/devices/zzero/.new
	put_file configfs/zio/triggers/hrt/.new/enable 0
	put_file configfs/zio/triggers/hrt/.new/period-ns 0
	put_file configfs/zio/triggers/hrt/.new/clock realtime
	put_file configfs/zio/triggers/hrt/.new/fired 0 444
	printf 'enable 0 1\nperiod-ns [1000 1 31536000000000000]\n%s\n' \
		'clock realtime monotonic boottime tai' >configfs/zio/triggers/hrt/.new/accepted
	printf 'live 0 1\nchannels [1 1 64]\n' >configfs/zio/devices/zzero/.new/accepted
	put_file configfs/zio/devices/zzero/.new/live 0
	put_file configfs/zio/devices/zzero/.new/channels 3
	put_file configfs/zio/devices/zzero/.new/name zzero-0001 444
	export ZIO_SYSFS=$PWD/sysfs ZIO_CONFIGFS=$PWD/configfs
	# shellcheck disable=SC2034 # scripts that source this use it
	devices=$ZIO_SYSFS/bus/zio/devices
}
