#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# not kasan: it compares lists of names
#
# Each file that ZIO makes has an entry in Documentation/ABI, and each entry has a file.
# An emulated S-LINK card makes the files of its driver.
# device: sspci,id=a
# device: sps,id=b
. "${0%/*}/lib.sh"

abi=${0%/*}/ABI
config=/sys/kernel/config/zio
tracefs=/sys/kernel/tracing
types="timer hrt irq sysfs chain"

# One of everything: types, shared triggers, buffers, devices. list_in_turn() lists what
# cannot be there at the same time.
set_up()
{
	for module in zio-buf-vmalloc zio-slink zio-sps zio-play zio-fake-adc; do
		zio-load $module || return
	done
	for type in $types; do
		zio-load zio-trig-$type && mkdir $config/triggers/$type/one-$type ||
			return
	done
	mkdir $config/devices/zzero/z || return
	echo 9 >$config/devices/zzero/z/id
	echo 1 >$config/devices/zzero/z/interleaved
	echo 1 >$config/devices/zzero/z/live || return
	mkdir $config/devices/zzero/stream || return
	echo 10 >$config/devices/zzero/stream/id
	echo 8 >$config/devices/zzero/stream/stream
	echo 1 >$config/devices/zzero/stream/live || return
	mkdir $config/devices/zplay/p || return
	echo 1 >$config/devices/zplay/p/live || return
	echo vmalloc >$zzero/cset2/current_buffer || return
	[ -e $tracefs/events ] || mount -t tracefs none $tracefs
}

list_events()
{
	find $tracefs/events/zio -maxdepth 1 -name 'zio_*'
}

list_all()
{
	find /sys/bus/zio/version /sys/bus/zio/available_* /sys/bus/zio/devices \
		/sys/bus/zio/devices/*/ /sys/zio/devices $config /dev/zio \
		"$@" | sed 's#//*#/#g' | grep -v -e /uevent$ -e /power/ \
		-e '/zio/[^/]*-ctrl/' -e '/zio/[^/]*-data/'
}

list_in_turn()
{
	list_all "$@"
	for type in $types; do
		echo $type >$cset0/current_trigger || return
		find $cset0/trigger/ "$@" | sed 's#//*#/#g'
	done
	echo user >$cset0/current_trigger
}

# Replace the words in capitals by patterns. Other drivers document their attributes.
list_patterns()
{
	sed -n -e 's#^What:[[:space:]]*\(\(slink\|sps\|zplay\|zadc\)-ID/[^ ,]*\)$#/sys/bus/zio/devices/\1#p' \
		-e 's/^What:[[:space:]]*\(\/[^ ]*\).*/\1/p' "$abi"/* |
		grep -v -e /ATTRIBUTE$ -e '^/dev/NAME' |
		sed -e 's/NAME-ID/[a-z0-9_-]+-[0-9a-f]{4}/g' \
		-e 's/\(zzero\|slink\|sps\|zplay\|zadc\)-ID/\1-[0-9a-f]{4}/' \
		-e 's/csetN/cset[0-9]+/' -e 's/chanM/chan[0-9]+/' \
		-e 's/-N-M-/-[0-9]+-[0-9]+-/' -e 's/-N-i-/-[0-9]+-i-/' -e 's/-N-ctrl/-[0-9]+-ctrl/' \
		-e 's/TYPE\|DRIVER\|NAME/[^\/]+/g' -e 's#/$##' | sort -u
}

list_dead_patterns()
{
	while read -r pattern; do
		grep -Eqx "$pattern" /tmp/all || echo "$pattern"
	done </tmp/patterns
}

check "one of everything is loaded and made" set_up
list_patterns >/tmp/patterns
is_between "the number of entries is plausible" "$(wc -l </tmp/patterns)" 60 1000
{ list_in_turn ! -type d ! -type l; list_events; } | sort -u >/tmp/files
is_between "the number of files is plausible" "$(wc -l </tmp/files)" 100 10000
is "all files are documented" "$(grep -Evxf /tmp/patterns /tmp/files)" ""
{ list_in_turn; list_events; } | sort -u >/tmp/all
is "all documented files exist" "$(list_dead_patterns)" ""
check "all boards and triggers are removed" rmdir $config/devices/*/* $config/triggers/*/*
done_testing
