# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# For tests of zio-alsa, after lib.sh. The machine has the modules of the cards.

config=/sys/kernel/config/zio/devices/zalsa
zalsa=/sys/bus/zio/devices/zalsa-0000
node=/dev/zio/zalsa-0000-0-0
ramp=/sys/module/snd_ramp/parameters

# Loads the module. Some kernels have no sound.
has_sound()
{
	[ -e /proc/asound/cards ] && zio-load zio-alsa
}

# card_number ID
card_number()
{
	readlink /proc/asound/"$1" | tr -dc 0-9
}

# make_pcm NAME ATTRIBUTE=VALUE...; removes the directory after an error
make_pcm()
{
	zio create device zalsa "$@"
}

remove_pcm()
{
	rmdir $config/"$1"
}

# counter CSET FILE: a file of the set, or of the statistics of its channel
counter()
{
	cat $zalsa/cset"$1"/"$2" 2>/dev/null ||
		cat $zalsa/cset"$1"/chan0/statistics/"$2"
}

# counter_is_over CSET FILE VALUE
counter_is_over()
{
	[ "$(counter "$1" "$2")" -gt "$3" ]
}

# pcm_status CARD DEVICE DIRECTION KEY: of /proc/asound
pcm_status()
{
	sed -n "s/^$4 *: *//p" /proc/asound/"$1"/pcm"$2$3"/sub0/status
}

# is_pcm_state CARD DEVICE DIRECTION STATE
is_pcm_state()
{
	[ "$(pcm_status "$1" "$2" "$3" state)" = "$4" ]
}

# has_moved CARD DEVICE DIRECTION FRAMES
has_moved()
{
	[ "$(pcm_status "$1" "$2" "$3" hw_ptr)" -gt "$4" ]
}

has_log()
{
	dmesg | grep -q "$1"
}

# list_blocks COUNT: number, first sample and alarms of each block
list_blocks()
{
	zio-dump -n "$1" zalsa-0000-0-0 | awk '
		/: block / { if (n != "") print n, first, alarm; n = $3 + 0; alarm = "-"
			first = "" }
		/^  alarms / { alarm = $0 }
		/data +0:/ { first = $3 }
		END { print n, first, alarm }'
}

# check_gaps FRAMES: each block of the ramp begins so many frames after the block before, for
# each number between the two. Blocks of silence are no part of the ramp. Prints how many
# numbers are missing.
check_gaps()
{
	frames=$1 before= last=0 missing=0
	while read -r number first rest; do
		first=$((0x$first))
		if [ $last -ne 0 ] && [ $first -ne 0 ] &&
			[ $((first - last)) -ne $(((number - before) * frames)) ]; then
			echo "block $number begins with $first, block $before with $last"
			return 1
		fi
		[ -z "$before" ] || missing=$((missing + number - before - 1))
		last=$first before=$number
	done
	echo "${before:+$missing}"
}

# wait_for_reader PID: until it has the data of a sound card open
wait_for_reader()
{
	wait_until 20 sh -c "ls -l /proc/$1/fd | grep -q zalsa"
}
