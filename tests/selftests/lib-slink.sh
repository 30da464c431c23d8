# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Functions for the tests of the S-LINK driver. All of them ask for the same devices, by
# the same header lines. A fault that a card counts, such as a read of an empty FIFO, is a
# fault of the driver.
. "${0%/*}/lib.sh"

bus=/sys/bus/zio/devices
driver=/sys/bus/pci/drivers/zio-slink
out_driver=/sys/bus/pci/drivers/zio-sps
card="" pair=""

# pci_of ID: the address of the board with this PCI id
pci_of()
{
	for function in /sys/bus/pci/devices/*; do
		[ "$(cat $function/vendor $function/device | xargs)" != \
			"0x10dc $1" ] || basename "$function"
	done
}

# card_of DEVICE: the number of its card on the bench, which has the same registers OMB1
card_of()
{
	n=0
	echo 8 >$bus/$1/cset0/width || return
	until [ $((($(slink-bench -c $n omb1) >> 3) & 3)) = 2 ]; do
		n=$((n + 1))
		slink-bench -c $n id >/dev/null || return
	done
	echo 32 >$bus/$1/cset0/width
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
		else
			pair=$n receiver=$device
		fi
	done
	for device in $(cd $bus && echo sps-*); do
		n=$(card_of $device) || return
		if [ "$(slink-bench -c $n has-peer)" = 0 ]; then
			out_card=$n out_source=$device
		else
			pair="$n $pair" sender=$device
		fi
	done
	in=$bus/$source/cset0
	node=/dev/zio/$source-0-0
	pci=$(basename "$(readlink -f $in/../..)")
	out=$bus/$out_source/cset0
	outnode=/dev/zio/$out_source-0-0
	out_pci=$(basename "$(readlink -f $out/../..)")
	[ -n "$card" ] && [ -n "$out_card" ] && [ "$(echo $pair | wc -w)" = 2 ]
}

# At any end of a test: no card continues to send to a driver that no process reads.
stop_all()
{
	n=0
	while slink-bench -c $n mode=stop 2>/dev/null; do
		n=$((n + 1))
	done
	zio-unload zio-sps
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

# out_bench NAME=VALUE..., out_ask NAME: the same for the source card without a peer
out_bench()
{
	slink-bench -c $out_card "$@" >/dev/null
}

out_ask()
{
	slink-bench -c $out_card "$1"
}

out_stat()
{
	cat $out/$1
}

out_link_is()
{
	[ "$(out_stat link)" = "$1" ]
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
	zio-load zio-slink && zio-load zio-sps && wait_until 10 link_is 1
}

# fresh_output: the source card without a peer with the settings of a new one
fresh_output()
{
	echo $out_pci >$out_driver/unbind
	out_bench clear=1 out-ns=60 bus-time=pci grant-ns=240 posted-ns=0 abort=none \
		abort-on=any abort-after=0 sink-hold=0 sink-keep=0
	echo $out_pci >$out_driver/bind
	wait_until 10 out_link_is 1
	echo 8192 >$out/trigger/nsamples
	wait_until 10 eval '[ "$(out_stat trigger/nsamples)" = 8192 ]'
}

no_output_faults()
{
	is "$1: no fault of the source card" "$(out_ask faults)" 0
}

# fresh_bench: the settings of a new card
fresh_bench()
{
	bench clear=1 cable=1 inject=0 inject-every=0 inject-faults=0 \
		inject-at=0xffffffff mode=stop sizes=fixed pattern=count gap-ns=0 rate=25000 \
		word-ns=30 begin=0xb0f00000 end=0xe0f00000 word-errors=0 \
		count=0 event=0 xoff=1 fifo-words=4096 card-ns=30 grant-ns=240 \
		bus-time=pci posted-ns=0 abort=none abort-on=any abort-after=0
}

# The card with the settings of a new one, and a new board.
fresh()
{
	echo $pci >$driver/unbind
	fresh_bench
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
	check "the drivers are loaded" eval 'zio-load zio-slink && zio-load zio-sps'
	if find_cards; then
		ok "there is a card with a source, one with a sink, and two back to back"
		return
	fi
	not_ok "there is a card with a source, one with a sink, and two back to back" \
		"source: '$card'; sink: '$out_card'; back to back: '$pair'"
	stop_all
	done_testing
}

# end_slink TEST...: run these functions, and end
end_slink()
{
	for test; do
		test_$test
	done
	check "the source cards' driver is unloaded" zio-unload zio-sps
	check "the driver is unloaded" zio-unload zio-slink
	done_testing
}
