#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# rt
#
# Sharing: an output plays the memory of an input's blocks; each refusal, each reason
# to copy instead, and each order in which the two sides may end.
. "${0%/*}/lib.sh"

in=/dev/zio/zzero-0000-2-0
out=/dev/zio/zloop-0000-0-0
loop=/dev/zio/zloop-0000-1-0
chan=/sys/bus/zio/devices/zloop-0000/cset0/chan0
source=/sys/bus/zio/devices/zzero-0000/cset2
zero=/sys/bus/platform/drivers/zio-zero
config=/sys/kernel/config/zio/devices/zloop
blocks=1000
! is_debug_kernel || blocks=200

unload()
{
	[ ! -d $config/board ] || rmdir $config/board || return
	for module in zio-zero zio-loop; do
		! grep -q "^$(echo $module | tr - _) " /proc/modules ||
			zio-unload $module || return
	done
}

# fresh [BUFFER-OF-INPUT [BUFFER-OF-OUTPUT]]: the samples count from 0
fresh()
{
	unload && zio-load zio-zero && zio-load zio-loop ssize=4 ndev=2 &&
	write_file $source/current_buffer "${1-kmalloc}" >/dev/null &&
	write_file $chan/../current_buffer "${2-kmalloc}" >/dev/null
}

# board NAME VALUE...: a loop that pretends not to reach all memory
board()
{
	unload && zio-load zio-zero && zio-load zio-loop ndev=0 &&
	mkdir $config/board && echo 4 >$config/board/ssize || return
	while [ $# -gt 0 ]; do
		echo "$2" >$config/board/"$1" || return
		shift 2
	done
	echo 1 >$config/board/live
}

# counted SHARED COPIED BYTES
counted()
{
	is "$text: shared, copied, copied bytes" "$(cat $chan/statistics/shared \
		$chan/statistics/copied $chan/statistics/copied-bytes | xargs)" "$*"
}

# one TEXT COMMAND...: with fresh devices
one()
{
	fresh || not_ok "fresh"
	check "$@"
}

zio-load zio-buf-vmalloc
for buffers in "kmalloc kmalloc" "vmalloc vmalloc" "vmalloc kmalloc"; do
	# The words are two arguments.
	# shellcheck disable=SC2086
	check "fresh, $buffers" fresh $buffers
	check "to and fro, $buffers" node-share trip $in $out $loop $blocks
	counted $blocks 0 0
	is "nothing was lost" "$(cat $source/chan0/statistics/lost_blocks)" 0
done
one "one to many" node-share many $in $out $loop /dev/zio/zloop-0001-0-0 \
	/dev/zio/zloop-0001-1-0 100
counted 100 0 0
check "fresh" fresh vmalloc kmalloc
check "one to many, vmalloc" node-share many $in $out $loop \
	/dev/zio/zloop-0001-0-0 /dev/zio/zloop-0001-1-0 600
one "pieces of a block" node-share piece $in $out $loop
check "fresh" fresh vmalloc vmalloc
check "pieces of a block, vmalloc" node-share piece $in $out $loop
one "several controls" node-share several $in $out $loop

one "refusals" node-share refuse $in $out $loop /dev/zio/zzero-0000-1-0
counted 1 0 0
one "what is given back; what is closed" node-share stale $in $out
fresh vmalloc
check "an input with a ring is refused" node-share ring $in $out

check "a board that wants samples aligned" board align 16
check "is copied to, and says so" \
	node-share copied $in $out $loop $chan/current-control 33 1
counted 0 1 60
check "a board with 12 address lines" board dma-bits 12
check "is copied to, and says so" \
	node-share copied $in $out $loop $chan/current-control 75 0
counted 0 1 64
check "a board that is content" board align 4 dma-bits 64
check "is shared with" node-share trip $in $out $loop 10
counted 10 0 0
check "rmdir" rmdir $config/board
check "mkdir" mkdir $config/board
expect_write_errno "no alignment" ERANGE $config/board/align 0
expect_write_errno "too many address lines" ERANGE $config/board/dma-bits 65
echo 3 >$config/board/align
expect_errno "one that is no power of two" EINVAL write_file $config/board/live 1
check "rmdir" rmdir $config/board

fresh vmalloc kmalloc
echo 2048 >$source/trigger/nsamples
echo 2048 >$chan/../trigger/nsamples
echo 2048 >$chan/../../cset1/trigger/nsamples
check "what is lent to a pipe" node-share lent $in $out $loop $chan/current-control
check "fresh" fresh kmalloc vmalloc
check "offered controls tell" node-share offer $in $out $loop
check "fresh" fresh kmalloc vmalloc
check "a small area" write_file $chan/buffer/max-buffer-kb 4
check "offered blocks are used up" node-share trim $in $out $loop 4096
is "shared, copied" "$(cat $chan/statistics/shared $chan/statistics/copied | xargs)" "666 0"
fresh
echo 8 >$chan/buffer/max-buffer-len
check "a full output" node-share full $in $out $loop
fresh
echo 32 >$chan/buffer/max-buffer-len
check "all memory with the output" node-share hog $in $out $loop
one "an fd from another process" node-share passed $in $out $loop

one "both are closed" node-share closed $in $out $loop
one "the input has another buffer" \
	node-share change $in $out $loop $source/current_buffer=vmalloc
fresh vmalloc
check "and back" node-share change $in $out $loop $source/current_buffer=kmalloc
one "shorter blocks" node-share change $in $out $loop $source/trigger/nsamples=3
one "fewer blocks" \
	node-share change $in $out $loop $source/chan0/buffer/max-buffer-len=2
for buffer in kmalloc vmalloc; do
	check "fresh" fresh $buffer
	check "the input's board goes, $buffer" \
		node-share gone $in $out $loop $zero/unbind zio-zero.0
	check "fresh" fresh $buffer
	check "the output's board goes, $buffer" \
		node-share unplug $in $out /sys/bus/platform/drivers/zio-loop/unbind \
		zio-loop.0
	fresh $buffer
	echo 8 >$chan/buffer/max-buffer-len
	check "killed, $buffer" node-share killed $in $out $loop
done

# The output has a block for ever: nobody waits for it, but its memory stays.
fresh vmalloc
check "a block that is never played" node-share change $in $out $loop \
	$source/trigger/nsamples=16
node-share hand $in $out
check "the input's driver goes" zio-unload zio-zero
check_fails "its memory stays" rmmod zio-buf-vmalloc
check "the output's driver goes" zio-unload zio-loop
check "and now the memory" wait_until 5 rmmod zio-buf-vmalloc
is "no module is held" "$(cat /sys/module/zio/refcnt)" 1
done_testing
