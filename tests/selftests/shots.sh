#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
#
# One arming, several blocks: their samples, numbers and times, as a user of a board sees
# them that stores its shots. Changes and the end of the board while shots are taken. The
# board of zio-zero writes the time of each shot behind its samples.
. "${0%/*}/lib.sh"

devices=/sys/kernel/config/zio/devices/zzero
board=/sys/bus/zio/devices/zzero-0009
own=$board/cset0/trigger
saw=zzero-0009-0-2

# make ATTRIBUTE=VALUE...: a board that takes a shot each 2 ms
make()
{
	mkdir $devices/shots && echo 9 >$devices/shots/id || return
	for pair in delay-us=2000 "$@"; do
		echo "${pair#*=}" >$devices/shots/"${pair%%=*}" || return
	done
	echo 1 >$devices/shots/live
	echo 4 >$own/pre-samples && echo 8 >$own/post-samples && echo 3 >$own/nshots
}

end()
{
	echo 0 >$devices/shots/live
	rmdir $devices/shots
}

# reached FILE NUMBER
reached()
{
	[ "$(cat "$1")" -ge "$2" ]
}

lost()
{
	cat $board/cset0/chan2/statistics/lost_blocks
}

# numbers N OPTION...: number, samples and shot of so many blocks, a line each
numbers()
{
	n=$1
	shift
	zio-dump -n "$n" -c -a "$@" $saw | sed -n \
		-e 's/.*: block \([0-9]*\): \([0-9]*\) samples.*/\1 \2/p' \
		-e 's/^  trigger .*nshots=\([0-9]*\) .*shot=\([0-9]*\) .*/\1 \2/p' |
		paste -d ' ' - -
}

# times_rise: three blocks have three times, one after the other. Prints the control.
times_rise()
{
	zio-dump -n 3 -c --method=read $saw | tee /tmp/shots-controls
	sed -n 's/^  time *//p' /tmp/shots-controls >/tmp/shots-times
	[ "$(wc -l </tmp/shots-times)" = 3 ] && sort -c -u /tmp/shots-times
}

test_read()
{
	for type in kmalloc vmalloc; do
		check "a board with shots, $type" make
		check "the buffer is $type" write_file $board/cset0/current_buffer $type
		is "a read arms once, and has three blocks" "$(numbers 3 --method=read)" "0 12 3 0
1 12 3 1
2 12 3 2"
		is "the board was armed once" "$(cat $board/cset0/statistics/fired)" 1
		check "each shot has a time of its own" times_rise
		is "the samples follow each other" \
			"$(zio-dump -n 1 -d --method=read $saw | sed -n 's/^ *data  *0: //p')" \
			"48 49 4a 4b 4c 4d 4e 4f 50 51 52 53"
		is "nothing is lost" "$(lost)" 0
		end
	done
}

# A tap has the shots, too, and takes none.
test_tap()
{
	make
	echo vmalloc >$board/cset0/current_buffer
	numbers 6 --tap >/tmp/shots-tap &
	tap=$!
	while kill -0 $tap 2>/dev/null; do
		zio-dump -n 3 -c --method=read $saw >/dev/null
	done
	wait $tap
	is "a tap has all shots" "$(cut -d ' ' -f 2- /tmp/shots-tap | sort -u)" "12 3 0
12 3 1
12 3 2"
	end
}

# The number of shots changes while a reader and a clock are at work.
test_load()
{
	make delay-us=100
	write_file $board/cset0/current_trigger hrt >/dev/null
	echo 500000 >$own/period-ns
	echo 1 >$own/enable
	zio-dump -n 400 -c $saw >/dev/null &
	reader=$!
	failed=0
	while kill -0 $reader 2>/dev/null; do
		for n in 1 5 2 16 3; do
			echo $n >$own/nshots || failed=1
		done
	done
	is "the number of shots changes under load" $failed 0
	status=0
	wait $reader || status=$?
	# Under load some may be lost: then zio-dump tells it.
	is "the reader gets all blocks" "$(echo $status | grep -x '[04]')" $status
	zio-dump -n 1000000 -c $saw >/dev/null 2>&1 &
	reader=$!
	before=$(cat $board/cset0/chan2/statistics/blocks)
	check "shots are taken" wait_until 20 \
		reached $board/cset0/chan2/statistics/blocks $((before + 20))
	end
	wait $reader
	ok "the board goes while shots are taken"
}

zio-load zio-trig-hrt
for test in read tap load; do
	test_$test
done
done_testing
