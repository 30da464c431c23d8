# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Devices of the IIO framework, for tests of zio-iio

config=/sys/kernel/config/zio/devices/ziio
ziio=/sys/bus/zio/devices/ziio-0000
node=/dev/zio/ziio-0000
drivers=/sys/bus/platform/drivers
ramp=/sys/module/iio_ramp/parameters

# make_iio NAME ATTRIBUTE=VALUE...: make a ZIO device
make_iio()
{
	dir=$config/$1
	shift
	mkdir -p "$dir"
	for word in "$@"; do
		write_file "$dir/${word%%=*}" "${word#*=}" >/dev/null || return
	done
	write_file "$dir"/live 1
}

remove_iio()
{
	rmdir $config/"$1"
}

# iio_of NAME: the directory of an IIO device in sysfs
iio_of()
{
	for file in /sys/bus/iio/devices/iio:device*/name; do
		[ "$(cat "$file")" != "$1" ] || dirname "$file"
	done
}

# samples CSET-CHAN TYPE BYTES: read so many bytes, as numbers of a type of od
samples()
{
	dd if=$node-"$1"-data bs="$3" count=1 2>/dev/null | od -An -v -t"$2" | xargs
}

# next_control CSET-CHAN: the control of the next block, as zio-dump prints it
next_control()
{
	zio-dump -n 1 ziio-"$1"
}

queued()
{
	cat $ziio/cset"$1"/chan0/statistics/blocks
}

is_gone()
{
	! [ -e $ziio ]
}
