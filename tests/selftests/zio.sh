#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# not kasan: it judges a program, which reads and writes files
#
# zio on real boards.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000

# refused TEXT REGEX OBJECT ATTR=VALUE: the kernel refuses the value; nothing changes
refused()
{
	before=$(cat "/sys/bus/zio/devices/zzero-0000/$3/${4%%=*}")
	gives 1 "$1" zio set "zzero/$3" "$4"
	says "$1: reason" "$2"
	is "$1: nothing changed" \
		"$(cat "/sys/bus/zio/devices/zzero-0000/$3/${4%%=*}")" "$before"
}

test_list()
{
	dd if=$node-0-2-data of=/dev/null bs=16 count=3 2>/dev/null
	gives 0 "list" zio list -i 0
	is "list: all channels" "$(echo "$said" | wc -l)" \
		"$(ls -d $zzero/cset*/chan* | wc -l)"
	says "list: one that was read" \
		'^zzero-0000-0-2 input user kmalloc on 0 16 3 48 0 - - - 0 -$'
	says "list: one that was not" \
		'^zzero-0000-0-0 input user kmalloc on 3 16 3 48 0 - - - 0 -$'
	is "queued blocks, in sysfs" \
		"$(cat $cset0/chan0/buffer/queued-buffer-len)" 3
	dd if=$node-0-0-data of=/dev/null bs=16 count=2 2>/dev/null
	is "two of the three blocks are read" \
		"$(cat $cset0/chan0/buffer/queued-buffer-len)" 1
	gives 0 "list: tree" zio list -t -i 0 zzero-0-1
	says "list: tree: a set" \
		"^\`- cset0  input  'zero-input'  trigger user  buffer kmalloc  16 x 1 B"
	gives 0 "list: rates" zio list -i 0.1 zzero-0-1
	says "list: rates: a line" '^zzero-0000-0-1 .* 0\.0 0\.0 0\.0 0 -$'
	gives 0 "list: JSON" zio list -j -i 0
	says "list: JSON: a channel" \
		'"channel":"zzero-0000-2-0","path":"zzero-0000/cset2/chan0","state":"on"'
}

# zio gets each attribute that can be read, and no other.
test_get()
{
	gives 0 "get: all of a device" zio get zzero
	is "get: all attributes" "$(echo "$said" | cut -d= -f1 | sort | md5sum)" \
		"$(cd $zzero && find cset* -type f ! -name uevent \
			! -name current-control ! -name accepted ! -name flush | sort | md5sum)"
	for object in zzero-0000/cset0/trigger zzero/0/trigger; do
		gives 0 "get: $object" zio get $object/nsamples
		is "get: $object: value" "$said" 16
	done
	gives 0 "get: node" zio get /dev/zzero-2-0-data
	says "get: node: attribute" '^gain-factor=1000$'
}

test_set()
{
	gives 0 "set" zio set zzero/0 trigger/nsamples=32 enable=0 \
		zzero-0-2/buffer max-buffer-len=8
	is "set: written" "$(cat $cset0/trigger/nsamples $cset0/enable \
		$cset0/chan2/buffer/max-buffer-len | xargs)" "32 0 8"
	gives 0 "set: back" zio set zzero/0 enable=1 trigger/nsamples=16 \
		zzero-0-2/buffer max-buffer-len=16
	gives 1 "set: a bad name" zio set zzero/0 enable=0 nonsense=1
	is "set: a bad name: nothing changed" "$(cat $cset0/enable)" 1
	gives 2 "set: no value" zio set zzero/0 enable=0 enable=
	is "set: no value: nothing changed" "$(cat $cset0/enable)" 1
}

# A refusal of each kind, with its reason. accepted_test.c has all values.
test_refused()
{
	refused "no flag" 'it accepts one of: 0 1' cset0 enable=2
	refused "two shots" 'Operation not supported: it accepts 1' cset1/trigger nshots=2
	refused "too many samples" 'not enough memory for this value' \
		cset0/trigger nsamples=4294967295
	refused "beyond 32 bits" 'it accepts 1 to 4294967295' \
		cset0/trigger nsamples=4294967296
	refused "watermark" '1 to max-buffer-len' cset0/chan0/buffer watermark=17
	exec 9<$node-0-1-data
	refused "node open" \
		'a node of the set is open.*: zzero-0000-0-1-data by [^ ]+ \([0-9]+\)' \
		cset0 current_buffer=vmalloc
	exec 9<&-
	check "node closed" zio set zzero/0 current_buffer=vmalloc
	refused "area" 'raise max-buffer-kb' cset0/trigger nsamples=10000000
	check "blocks of 8 KiB" zio set zzero/0 trigger/nsamples=8192
	refused "small area" 'less than one block' \
		cset0/chan0/buffer max-buffer-kb=4
	check "small blocks" zio set zzero/0 trigger/nsamples=16
	check "kmalloc again" zio set zzero/0 current_buffer=kmalloc
	gives 1 "no device" zio get nonsense
	says "no device: reason" 'there are: .*zzero-0000'
}

# The driver has filled a queue that nobody reads: no block comes to a tap.
test_silence()
{
	echo transparent >/sys/bus/zio/devices/zzero-0000/cset2/current_trigger
	for command in 'dump --tap' 'cat --tap'; do
		# shellcheck disable=SC2086 # words
		zio $command -n 1 zzero-2-0 >/tmp/got 2>/tmp/err &
		check "$command: no block: it says so" wait_until 20 grep -q \
			'zzero-2-0: no new block for 5 s (old ones wait' /tmp/err
		zio flush zzero-2-0
		wait $!
		is "$command: and shows the block that comes" $? 0
	done
	echo user >/sys/bus/zio/devices/zzero-0000/cset2/current_trigger
	zio flush zzero-2-0
	echo 0 >$zzero/cset2/chan0/enable
	zio copy -n 1 zzero-2-0 /tmp/copied 2>/tmp/err &
	check "copy: no block: it says so" wait_until 20 grep -q \
		'zzero-2-0: no new block for 5 s (does' /tmp/err
	echo 1 >$zzero/cset2/chan0/enable
	wait $!
	is "copy: and copies the block that comes" $? 0
}

# zio makes two boards on one clock, and removes them.
test_shared()
{
	if ! zio-load zio-trig-hrt 2>/dev/null ||
		[ ! -d /sys/kernel/config/zio/triggers/hrt ]; then
		skip "shared triggers" "not in this kernel"
		return
	fi
	gives 1 "create: refused" zio create trigger hrt clock0 period-ns=0
	gives 1 "create: and not made" zio get trigger:clock0
	gives 0 "create: trigger" \
		zio create trigger hrt clock0 period-ns=10000000
	gives 0 "create: device" zio create device zzero rack1 channels=2
	board=$(zio get device:rack1/name)
	is "create: it has so many channels" "$(zio list -i 0 "$board/0" | wc -l)" 2
	gives 0 "shared: two boards" zio set zzero/0 current_trigger=clock0 \
		"$board/0" current_trigger=clock0
	check "shared: both acquire" wait_until 10 sh -c \
		"[ \$(zio get zzero/0/statistics/fired) -gt 3 ] &&
		[ \$(zio get $board/0/statistics/fired) -gt 3 ]"
	gives 0 "shared: list" zio list -t -i 0
	says "shared: the list has the users of the clock" \
		"^trigger:clock0  type hrt  on  used by .*zzero-0000/cset0"
	gives 1 "shared: in use" zio destroy trigger clock0
	says "shared: the message names the users" "in use by .*$board/cset0"
	gives 1 "shared: a setting of the clock is refused" zio set zzero/0/trigger clock=tai
	says "shared: reason" "'clock0' is a shared trigger: set trigger:clock0 clock="
	gives 0 "shared: back" zio set zzero/0 current_trigger=user \
		"$board/0" current_trigger=user
	gives 0 "destroy: trigger" zio destroy trigger clock0
	gives 0 "destroy: device" zio destroy device rack1
	gives 1 "destroy: the board does not exist" zio list -i 0 "$board"
}

check "the other buffer loads" zio-load zio-buf-vmalloc
test_list
test_get
test_set
test_refused
test_silence
test_shared
gives 2 "no command" zio
gives 0 "version" zio --version
done_testing
