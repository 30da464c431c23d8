#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A page fault that nobody serves stops one system call, and nobody else's: neither
# readers of the channel, nor its configuration, nor a route, nor an unbind.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000
driver=/sys/bus/platform/drivers/zio-zero

# Only a hang takes that long.
limit=120

# has_ended PID: a zombie has.
has_ended()
{
	case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in
	'' | Z*) return 0 ;;
	esac
	return 1
}

# ends TEXT COMMAND...: it succeeds, and does not wait for whoever is stuck.
ends()
{
	text=$1
	shift
	"$@" >/tmp/ends 2>&1 &
	if ! wait_until $limit has_ended $!; then
		not_ok "$text" "still there: $(cat /proc/$!/stack)"
		kill -9 $!
	elif wait $!; then
		ok "$text"
	else
		not_ok "$text" "$(cat /tmp/ends)"
	fi
}

# hold NODE-KIND read|write LEN
hold()
{
	rm -f /tmp/hold
	mkfifo /tmp/hold
	node-stuck hold "$@" </tmp/hold >/tmp/held &
	holder=$!
	exec 3>/tmp/hold
	check "$2 of $1 is stuck" wait_until $limit grep -q stuck /tmp/held
}

# let_go WANTED
let_go()
{
	exec 3>&-
	wait $holder
	is "the call that was stuck" "$(tail -n 1 /tmp/held)" "$1"
}

use_board()
{
	ends "$1: nsamples" write_file $cset0/trigger/nsamples "$2"
	ends "$1: another channel" dd if=$node-0-2-data bs=16 count=1
	ends "$1: the same channel" dd if=$node-0-1-data bs=16 count=1
	ends "$1: its controls" dd if=$node-0-1-ctrl bs=512 count=1
	ends "$1: an attribute" cat $cset0/current_trigger
	ends "$1: a channel is disabled" write_file $cset0/chan0/enable 0
	ends "$1: and enabled" write_file $cset0/chan0/enable 1
	ends "$1: a ring" sh -c "exec 4<>$node-0-1-ctrl"
}

zio-load zio-buf-vmalloc
zio-unload zio-zero
zio-load zio-zero ndev=2
write_file $cset0/current_buffer vmalloc >/dev/null

hold $node-0-1-data read 16
use_board "a reader of data is stuck" 32
let_go 16
hold $node-0-1-ctrl read 512
use_board "a reader of controls is stuck" 16
let_go 512
hold $node-0-1-data read 16
ends "a reader is stuck: its board is unbound" \
	write_file $driver/unbind zio-zero.0
let_go ENODEV
write_file $driver/bind zio-zero.0 >/dev/null

for kind in data ctrl; do
	size=16
	[ $kind = data ] || size=512
	hold $node-1-0-$kind write $size
	ends "a writer of $kind is stuck: a route" \
		write_file $zzero/cset1/chan0/buffer/source zzero-0000-0-0
	ends "a writer of $kind is stuck: the route is shown" \
		cat $zzero/cset1/chan0/buffer/source
	ends "a writer of $kind is stuck: the route goes" \
		write_file $zzero/cset1/chan0/buffer/source none
	ends "a writer of $kind is stuck: poll" node-wait poll $node-2-0
	ends "a writer of $kind is stuck: another board is unbound" \
		write_file $driver/unbind zio-zero.1
	write_file $driver/bind zio-zero.1 >/dev/null
	kill -9 $holder
	exec 3>&-
	wait $holder 2>/dev/null
done

check "samples around a hole" node-stuck data $node-0-2-data
check "controls around a hole" node-stuck ctrl $node-2-0-ctrl
check "a write around a hole" node-stuck output $node-1-0-data \
	$zzero/cset1/chan0/statistics/bytes
check "a control in a hole" node-stuck control $node-1-0
done_testing
