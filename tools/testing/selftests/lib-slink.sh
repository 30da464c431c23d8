# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Functions for the tests of the S-LINK driver. All of them ask for the same devices, by
# the same header lines. A fault that a card counts, such as a read of an empty FIFO, is a
# fault of the driver.
. "${0%/*}/lib.sh"

bus=/sys/bus/zio/devices
driver=/sys/bus/pci/drivers/zio-slink
card="" pair=""

# pci_of ID: the address of the board with this PCI id
pci_of()
{
	for function in /sys/bus/pci/devices/*; do
		[ "$(cat $function/vendor $function/device | xargs)" != \
			"0x10dc $1" ] || basename "$function"
	done
}

# card_of DEVICE: the number of its card on the bench, which has the same return lines
card_of()
{
	n=0
	echo 9 >$bus/$1/cset0/return-lines || return
	until [ $((($(slink-bench -c $n omb1) >> 8) & 15)) = 9 ]; do
		n=$((n + 1))
		slink-bench -c $n id >/dev/null || return
	done
	echo 0 >$bus/$1/cset0/return-lines
	echo $n
}

# Find $card and $in, $sender and $receiver; $pair are their numbers on the bench.
find_cards()
{
	card="" pair=""
	for device in $(cd $bus && echo slink-*); do
		n=$(card_of $device) || return
		if [ "$(slink-bench -c $n has-peer)" = 0 ]; then
			[ -n "$card" ] || { card=$n; source=$device; }
		elif [ -z "$pair" ]; then
			pair=$n sender=$device
		else
			pair="$pair $n" receiver=$device
		fi
	done
	in=$bus/$source/cset0
	node=/dev/zio/$source-0-0
	pci=$(basename "$(readlink -f $in/../..)")
	[ -n "$card" ] && [ "$(echo $pair | wc -w)" = 2 ]
}

# At any end of a test: no card continues to send to a driver that no process reads.
stop_all()
{
	n=0
	while slink-bench -c $n mode=stop 2>/dev/null; do
		n=$((n + 1))
	done
	zio-unload zio-slink
}

bench()
{
	slink-bench -c $card "$@" >/dev/null
}

ask()
{
	slink-bench -c $card "$1"
}

stat()
{
	cat $in/$1
}

link_is()
{
	[ "$(cat $in/link)" = "$1" ]
}

load()
{
	zio-load zio-slink && wait_until 10 link_is 1
}

# The card with the settings of a new one, and a new board.
fresh()
{
	echo $pci >$driver/unbind
	bench clear=1 cable=1 inject=0 inject-every=0 inject-at=0xffffffff \
		mode=stop sizes=fixed pattern=count gap-ns=0 rate=25000 \
		word-ns=30 begin=0xb0f00000 end=0xe0f00000 word-errors=0 \
		count=0 event=0 xoff=1 fifo-words=4096 card-ns=30 grant-ns=240 \
		posted-ns=0 abort=none abort-on=any sink-hold=0 sink-keep=0
	echo $pci >$driver/bind
	wait_until 10 link_is 1
}

no_faults()
{
	is "$1: no fault" "$(ask faults)" 0
}

# stream TEXT EVENTS PATTERN SIZES SIZE MAX STEP: all events come, and each word is right
stream()
{
	text=$1 events=$2 pattern=$3
	shift 3
	case $1 in fixed) kind=0 ;; sweep) kind=1 ;; random) kind=2 ;; esac
	bench seed=0 event=0 pattern=$pattern sizes=$1 size=$2 size-max=$3 \
		step=$4 count=$events mode=block
	check "$text" slink-events -n $events --check $pattern,$kind,$2,$3,$4 $node
	no_faults "$text"
}

sleep_until_sent()
{
	wait_until 10 eval '[ "$(ask complete)" -ge '$1' ] ||
		[ "$(ask broken)" -gt 0 ]'
}

# is_open PID: the process has a node open
is_open()
{
	ls -l /proc/$1/fd | grep -q /dev/zio/
}

# Loads the driver, and finds the cards.
begin_slink()
{
	trap 'stop_all; exit 143' TERM INT HUP
	check "the driver is loaded" zio-load zio-slink
	if find_cards; then
		ok "there is a card with a source, and two back to back"
		return
	fi
	not_ok "there is a card with a source, and two back to back" \
		"source: '$card'; back to back: '$pair'"
	stop_all
	done_testing
}
