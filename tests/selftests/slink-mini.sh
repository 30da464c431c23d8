#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# kasan
#
# zio-s5933-mini, the small driver to copy, on a card with an id of its own: words, a
# suspend, and blocks that it cannot begin.
# suspends
# model: s5933-fail
# device: sspci,id=a
# device: sps,id=b
# device: sspci,id=c,peer=b
# device: sspci,id=d,io=on,device-id=18
# device: sspci,id=e,intx=off,device-id=19
# device: sspci,id=f,bar-size=32,device-id=20
# device: sspci,id=g,bar-size=0,device-id=21
# device: sps,id=h
. "${0%/*}/lib-slink.sh"

# find_mini OMB1: print the number on the bench of the only card with this register
find_mini()
{
	n=0
	until [ "$(slink-bench -c $n omb1)" = $(($1)) ]; do
		n=$((n + 1))
		slink-bench -c $n id >/dev/null || return
	done
	echo $n
}

# read_mini: 40 blocks from descriptor 5; fails rather than wait for ever
read_mini()
{
	dd of=/dev/null bs=4096 count=40 <&5 &
	reader=$!
	wait_until 30 eval "! kill -0 $reader" || kill $reader
	wait $reader
}

# A block that the driver cannot begin ends with an error. The next read begins another.
mini_without_map()
{
	if ! insmod "${0%/*}/s5933-fail.ko"; then
		skip "mini: no map" "the kernel has no kretprobes"
		return
	fi
	left=/sys/module/s5933_fail/parameters/left
	exec 5<$mini
	echo 1 >$left
	expect_errno "mini: a block without a map" EIO read_mini
	is "mini: it was tried once" "$(cat $left)" 0
	check "mini: words after a block without a map" read_mini
	if can_suspend; then
		slink-bench -c $mini_card mode=stop >/dev/null
		check "mini: nothing comes" read-queued ${mini%-data}
		echo 1 >$left
		suspend 0
		slink-bench -c $mini_card mode=block >/dev/null
		# The reader may come before the driver has failed, or after that.
		status=0
		read_mini || status=$?
		check "mini: a read after a suspend without a map ends" test $status -ne 143
		is "mini: it was tried once after the suspend" "$(cat $left)" 0
		check "mini: words after a suspend without a map" read_mini
	fi
	exec 5<&-
	rmmod s5933_fail
}

# The card loses its state, as in a reset of the bus. The driver's watch begins the block anew.
mini_lost_state()
{
	slink-bench -c $mini_card mode=stop >/dev/null
	check "mini: nothing comes before the loss" read-queued ${mini%-data}
	slink-bench -c $mini_card gone=1 >/dev/null
	slink-bench -c $mini_card gone=0 >/dev/null
	slink-bench -c $mini_card mode=block >/dev/null
	exec 5<$mini
	check "mini: words after the card has lost its state" read_mini
	exec 5<&-
	[ "$status" -eq 0 ] || return
	check "mini: the log tells" eval \
		"dmesg | grep -q 'zio-s5933-mini .*: the card had lost its state'"
}

# The small driver for any card with the chip, and a card with an id of its own. The start
# value has return lines, by which the bench knows the card. The source sends no control
# words.
test_mini()
{
	check "mini: loaded" zio-load zio-s5933-mini start=0x03000507
	check "mini: bound" write_file /sys/bus/pci/drivers/zio-s5933-mini/new_id "10dc 0012"
	mini_card=$(find_mini 0x03000507)
	check "mini: the bench knows the card" test -n "$mini_card"
	[ -n "$mini_card" ] || return
	# A card that has sent nothing loses nothing, also if it forgets its state.
	if can_suspend; then
		slink-bench -c $mini_card lose-ns=500000000
		check "mini: a suspend without power" suspend 1
	fi
	slink-bench -c $mini_card pattern=running size=1000 inject-every=1 \
		inject-faults=0x18 mode=block >/dev/null
	mini=/dev/zio/s5933-0000-0-0-data
	mini_chan=/sys/bus/zio/devices/s5933-0000/cset0/chan0
	# Each word follows the one before it, in blocks of a page.
	is "mini: words" "$(dd if=$mini bs=4096 count=50 2>/dev/null | od -An -v -tu4 -w4 |
		awk '$1 != NR - 1 { wrong++ } END { print NR, wrong + 0 }')" "51200 0"
	is "mini: nothing is lost" "$(cat $mini_chan/statistics/lost_blocks)" 0
	echo 1 >$mini_chan/buffer/prefer-new
	check "mini: the block behind a loss tells of it" eval \
		"in-order ${mini%-data} 50 32 $mini_chan/statistics/lost_blocks >/tmp/order"
	check "mini: blocks were lost" grep -q '^50 [1-9]' /tmp/order
	echo 0 >$mini_chan/buffer/prefer-new
	if can_suspend; then
		suspend 0
		is "mini: words after a suspend" "$(dd if=$mini bs=4096 count=50 2>/dev/null |
			wc -c)" 204800
	fi
	mini_lost_state && mini_without_map
	slink-bench -c $mini_card mode=stop inject-every=0 inject-faults=0
	is "mini: no fault" "$(slink-bench -c $mini_card faults)" 0
	check "mini: unloaded" zio-unload zio-s5933-mini
}

begin_slink
end_slink mini
