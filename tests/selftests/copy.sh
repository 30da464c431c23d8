#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# not kasan: it judges a program; share_test and map_test take the same ways
#
# zio-copy: each mode, from zio-zero to zio-loop; block files; one to many; Ctrl-C;
# boards that are unbound meanwhile.
. "${0%/*}/lib.sh"

in=zzero-0000-2-0
zloop=/sys/bus/zio/devices/zloop
drivers=/sys/bus/platform/drivers
blocks=200
! is_debug_kernel || blocks=50
modes='rw mmap-in share'

# fresh BUFFER SET: a new buffer has no blocks
fresh()
{
	echo kmalloc >"$2/current_buffer" && echo "$1" >"$2/current_buffer"
}

# The counter begins at 0, and nothing is queued.
restart()
{
	for set in $zzero/cset2 "$zloop"-*/cset?; do
		fresh vmalloc "$set" || return
	done
	echo 0 >$zzero/cset2/chan0/sequence
}

has_mode()
{
	restart && zio-copy if=$in of=zloop-0-0 mode="$1" count=1 >/tmp/said 2>&1
}

# A mode is skipped where the core cannot share.
find_modes()
{
	for mode in $modes; do
		if has_mode "$mode"; then
			offered="$offered $mode"
		elif grep -q 'Inappropriate ioctl' /tmp/said; then
			skip "mode $mode" "$(tail -n 1 /tmp/said)"
		else
			not_ok "mode $mode" "$(cat /tmp/said)"
		fi
	done
}

# read_loop ID: read the input of this loop in the background
read_loop()
{
	zio-cat-file -m read "zloop-000$1-1-0" $blocks \
		>"/tmp/got$1" 2>"/tmp/got$1.err" &
	readers="$readers $!"
}

# wait_readers TEXT: all readers end well, and have what was copied
wait_readers()
{
	for reader in $readers; do
		status=0
		wait "$reader" || status=$?
		is "$1: a reader ends well" $status 0
	done
	readers=
	for got in /tmp/got?; do
		check "$1: what was copied" cmp "$got" /tmp/wanted
		rm "$got"
	done
}

make_wanted()
{
	check "restart for dd" restart
	dd if=/dev/zio/$in-data of=/tmp/wanted bs=64 count=$blocks 2>/dev/null
	is "each block has 64 bytes" "$(wc -c </tmp/wanted)" $((blocks * 64))
}

test_modes()
{
	for mode in $offered auto; do
		check "$mode: restart" restart
		read_loop 0
		capture zio-copy if=$in of=zloop-0-0 mode="$mode" \
			count=$blocks verbose=1
		is "$mode: status" $status 0
		is "$mode: totals" "$(echo "$said" | sed -n \
			's/^zio-copy: \(.* bytes\),.*/\1/p')" \
			"$blocks blocks, $((blocks * 64)) bytes"
		is "$mode: nothing is lost" "$(echo "$said" | grep lost)" ''
		diag "$(echo "$said" | grep 'mode\|sharing')"
		wait_readers "$mode"
	done
}

test_files()
{
	for mode in rw mmap-in; do
		check "file, $mode: restart" restart
		check "file, $mode: write" zio-copy if=$in of=/tmp/blocks.zio \
			mode="$mode" count=$blocks
		is "file, $mode: size" "$(wc -c </tmp/blocks.zio)" \
			$((blocks * 576))
		zio-cat-file /tmp/blocks.zio 2>/dev/null >/tmp/got0
		check "file, $mode: samples" cmp /tmp/got0 /tmp/wanted
		read_loop 0
		check "file, $mode, and back" zio-copy if=/tmp/blocks.zio of=zloop-0-0
		wait_readers "file, $mode, and back"
	done
	check "pipe: restart" restart
	check "a pipe to zio-cat-file" sh -c "zio-copy if=$in count=$blocks 2>/tmp/err |
		zio-cat-file - >/tmp/got0"
	check "pipe: samples" cmp /tmp/got0 /tmp/wanted
	rm /tmp/blocks.zio /tmp/got0
}

test_many()
{
	for mode in $offered; do
		check "$mode, one to three: restart" restart
		for id in 0 1 2; do
			read_loop $id
		done
		check "$mode, one to three" zio-copy if=$in mode="$mode" \
			of=zloop-0-0 of=zloop-0001-0-0 of=zloop-0002-0-0 \
			count=$blocks
		wait_readers "$mode, one to three"
	done
}

# Blocks are copied for a board that cannot reach the memory, and zio-copy tells it.
test_copied()
{
	case $offered in *share*) ;; *) return ;; esac
	far=/sys/kernel/config/zio/devices/zloop/far
	check "far: a board with 12 address lines" mkdir $far
	echo 4 >$far/ssize
	echo 3 >$far/id
	echo 12 >$far/dma-bits
	check "far: the board is live" write_file $far/live 1
	check "far: restart" restart
	read_loop 3
	check "far: zio-copy ends well" eval "zio-copy if=$in of=zloop-0003-0-0 mode=share \
		count=$blocks --json >/tmp/json"
	is "far: zio-copy tells that all blocks were copied" "$(tr -d ' \n' </tmp/json |
		sed 's/.*"sharing":{\([^}]*\).*/\1/; s/"why":".*"/"why"/')" \
		"\"asked\":$blocks,\"shared\":0,\"copied\":$blocks,\"copied_bytes\":$((blocks *
		64)),\"why\""
	diag "$(cat /tmp/json)"
	wait_readers "far"
	check "far: the board is removed" rmdir $far
}

test_refused()
{
	check "restart" restart
	echo 8 >"$zloop-0000/cset0/trigger/nsamples"
	check_fails "blocks that are too large" zio-copy if=$in of=zloop-0-0 mode=rw count=1
	is "the message has a hint" "$(echo "$said" | grep -c 'set nsamples')" 1
	echo kmalloc >$zzero/cset2/current_buffer
	check_fails "kmalloc is not mapped" \
		zio-copy if=$in of=/tmp/blocks.zio mode=mmap-in count=1
	is "the message names the mode and vmalloc" \
		"$(echo "$said" | grep -c 'mode mmap-in.*vmalloc')" 1
	echo 16 >"$zloop-0000/cset0/trigger/nsamples"
	check_fails "an input is no output" zio-copy if=$in of=$in count=1
	check_fails "an output is no input" zio-copy if=zloop-0-0 of=/tmp/x count=1
}

# The output is full, as it is not read; or the input is silent. The program waits a
# second for the block under way: two modes are enough to see that.
test_signals()
{
	for mode in $offered; do
		case $mode in
		rw | share)
			check "$mode: restart" restart
			start_program zio-copy if=$in of=zloop-0-0 mode="$mode"
			kill -INT $child
			end_program "$mode: Ctrl-C, output full" 130 "[kM]B/s"
			;;
		esac
		check "$mode: restart" restart
		echo 0 >$zzero/cset2/enable
		start_program zio-copy if=$in of=zloop-0-0 mode="$mode"
		kill -TERM $child
		end_program "$mode: SIGTERM, input silent" 143 '0 blocks, 0 bytes'
		echo 1 >$zzero/cset2/enable
	done
}

played()
{
	[ "$(cat "$zloop-0000/cset0/chan0/statistics/blocks")" -ge "$1" ]
}

# unplug MODE DRIVER: while blocks flow
unplug()
{
	check "$1: restart" restart
	before=$(cat "$zloop-0000/cset0/chan0/statistics/blocks")
	zio-cat-file -m read zloop-0000-1-0 >/dev/null 2>&1 &
	reader=$!
	start_program zio-copy if=$in of=zloop-0-0 mode="$1"
	check "$1, $2: blocks come" wait_until 10 played $((before + 20))
	echo "$2.0" >"$drivers/$2/unbind"
	end_program "$1: unbind $2" 1 'No such device'
	echo "$2.0" >"$drivers/$2/bind"
	kill $reader 2>/dev/null
	wait $reader || :
}

test_unplug()
{
	for mode in $offered; do
		unplug "$mode" zio-zero
		unplug "$mode" zio-loop
	done
}

offered=
readers=
check "the buffer loads" zio-load zio-buf-vmalloc
check "three loops load" zio-load zio-loop ssize=4 ndev=3
find_modes
make_wanted
test_modes
test_files
test_many
test_copied
test_refused
test_signals
test_unplug
done_testing
