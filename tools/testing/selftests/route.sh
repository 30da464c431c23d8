#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# single
# rt
#
# Routes: an input feeds outputs, with no user space at all.
. "${0%/*}/lib.sh"

in=zzero-0000-2-0
zset=$zzero/cset2
zero=/sys/bus/platform/drivers/zio-zero
loop=/sys/bus/platform/drivers/zio-loop
devices=/sys/bus/zio/devices
out0=$devices/zloop-0000/cset0/chan0
out1=$devices/zloop-0001/cset0/chan0
blocks=500
! is_debug_kernel || blocks=100

# fresh [BUFFER-OF-INPUT [BUFFER-OF-OUTPUT]]: the samples count from 0
fresh()
{
	for module in zio-zero zio-loop; do
		! grep -q "^$(echo $module | tr - _) " /proc/modules ||
			zio-unload $module || return
	done
	zio-load zio-zero && zio-load zio-loop ssize=4 ndev=2 &&
	write_file $zset/current_buffer "${1-kmalloc}" >/dev/null &&
	write_file $out0/../current_buffer "${2-kmalloc}" >/dev/null
}

# What dd says is of interest if it fails.
route()
{
	text=$(write_file "$1/buffer/source" "$2") || { echo "$text"; return 1; }
}

count()
{
	cat "$1/statistics/$2"
}

is_more()
{
	[ "$(cat "$1")" -gt "$2" ]
}

# Two routes from one input. The first output has one block armed, and 15 queued.
fill_out0()
{
	route $out0 $in && route $out1 $in &&
		wait_until 60 test_queued $out0 15
}

test_queued()
{
	[ "$(cat "$1/buffer/queued-buffer-len")" = "$2" ]
}

# What was shared is all that went to the output; nothing was copied.
is_shared()
{
	is "$1: no byte is copied" "$(count $out0 copied-bytes)" 0
	check "$1: blocks are shared" is_more $out0/statistics/shared 0
}

zio-load zio-buf-vmalloc
modprobe zio-trig-hrt
modprobe zio-trig-timer

fresh
is "no route" "$(cat $out0/buffer/source)" none
check_fails "an input has no source" test -e $zset/chan0/buffer/source
expect_write_errno "no address" EINVAL $out0/buffer/source zzero
expect_write_errno "an address without a channel" EINVAL $out0/buffer/source zzero-0000-
expect_write_errno "too long" EINVAL $out0/buffer/source \
	zzero-0000-0000000000000000000000000000000000000000-0
expect_write_errno "no such device" ENODEV $out0/buffer/source zzero-0007-0-0
expect_write_errno "no such set" ENODEV $out0/buffer/source zzero-0000-7-0
expect_write_errno "no such channel" ENODEV $out0/buffer/source zzero-0000-2-7
expect_write_errno "an output" ENOMSG $out0/buffer/source zloop-0001-0-0
expect_write_errno "itself" ENOMSG $out0/buffer/source zloop-0000-0-0
expect_write_errno "samples of another size" EPROTOTYPE $out0/buffer/source zzero-0000-0-0
echo 17 >$zset/trigger/nsamples
expect_write_errno "larger blocks" EMSGSIZE $out0/buffer/source $in
echo 16 >$zset/trigger/nsamples
write_file $zset/current_buffer vmalloc >/dev/null
exec 9<>/dev/zio/$in-ctrl
expect_write_errno "an input with a ring" EBUSY $out0/buffer/source $in
exec 9>&-
check "a route" route $out0 $in
is "shows" "$(cat $out0/buffer/source)" $in
check "users are refused" node-route busy /dev/zio/$in /dev/zio/zloop-0000-0-0
expect_errno "a ring is, too" EBUSY sh -c "exec 9<>/dev/zio/$in-ctrl"
check "the same again" route $out0 $in
check "none" route $out0 none
is "shows none" "$(cat $out0/buffer/source)" none
check "an empty line ends nothing twice" route $out0 ''

# The input is asked whenever the output has room; the loop plays when it is read.
for buffers in "kmalloc kmalloc" "vmalloc vmalloc" "kmalloc vmalloc"; do
	for trigger in user transparent; do
		# The words are two arguments.
		# shellcheck disable=SC2086
		check "fresh, $buffers" fresh $buffers
		check "from $trigger, $buffers" route $out0 $in
		echo $trigger >$zset/current_trigger
		check "each block arrives" node-route read /dev/zio/zloop-0000-1-0 $blocks
		is "and none is lost" "$(count $out0 route-lost) \
$(count $zset/chan0 lost_blocks)" "0 0"
		is_shared "$trigger, $buffers"
	done
done

# What was queued before goes first, in order.
fresh
echo hrt >$zset/current_trigger
echo 1000000 >$zset/trigger/period-ns
wait_until 10 is_more $zset/chan0/statistics/lost_blocks 0
echo 0 >$zset/trigger/enable
check "a route from what is queued" route $out0 $in
check "is played" node-route read /dev/zio/zloop-0000-1-0 16

# A full output loses blocks, and nobody else does, as long as it does not have all
# memory of the input.
echo 4 >$out0/buffer/max-buffer-len
echo 4 >$out1/buffer/max-buffer-len
echo 1 >$zset/trigger/enable
check "another output" route $out1 $in
check "a full output loses" wait_until 10 is_more $out0/statistics/route-lost 50
is "and says so" "$(($(cat $out0/alarms) & 1))" 1
check "the other one plays" node-route grow /dev/zio/zloop-0001-1-0 100
lost=$(count $zset/chan0 lost_blocks)
check "one goes" route $out1 none
check "the one that is left plays on" node-route grow /dev/zio/zloop-0000-1-0 100
is_between "the input itself loses nothing" \
	"$(($(count $zset/chan0 lost_blocks) - lost))" 0 1
check "the last one goes" route $out0 none
check "and the input can be read" dd if=/dev/zio/$in-data of=/dev/null bs=64 count=10

# An output with a clock of its own, an input on demand.
fresh
echo timer >$out0/../current_trigger
echo 5 >$out0/../trigger/period-ms
echo transparent >$devices/zloop-0000/cset1/current_trigger
check "an output with a timer" route $out0 $in
check "has each block" node-route read /dev/zio/zloop-0000-1-0 100
is "none was lost" "$(count $out0 route-lost)" 0

# Routes that follow each other, and one that bites its tail.
fresh
check "a chain" route $out0 $in
check "its second part" route $out1 zloop-0000-1-0
check "passes each block on" node-route read /dev/zio/zloop-0001-1-0 $blocks
check "a ring of routes" route $out0 zloop-0001-1-0
check "ends" route $out1 none
check "and its other half" route $out0 none

# Configuration under load.
fresh
check "a route" route $out0 $in
check "others" route $out1 $in
node-route grow /dev/zio/zloop-0000-1-0 1000000 >/tmp/grow 2>&1 &
reader=$!
check "changes on both sides" node-route storm 4 \
	$out0/../trigger/nsamples=20,16 $zset/trigger/nsamples=9,16 \
	$out1/buffer/source=none,$in
diag "$said"
check "the source changes" node-route storm 4 \
	$out0/buffer/source=none,$in $out0/buffer/max-buffer-len=3,16 \
	$zset/chan0/buffer/max-buffer-len=2,16
diag "$said"
kill $reader 2>/dev/null || :
wait $reader 2>/dev/null || :
route $out0 $in || :
check "all of it still works" node-route grow /dev/zio/zloop-0000-1-0 100

# Each side goes, with blocks on their way.
for buffer in kmalloc vmalloc; do
	check "fresh" fresh $buffer
	check "two routes, $buffer" fill_out0
	check "the input goes, $buffer" write_file $zero/unbind zio-zero.0
	is "and with it its routes" "$(cat $out0/buffer/source $out1/buffer/source |
		xargs)" "none none"
	check "what is queued is played" node-route read /dev/zio/zloop-0000-1-0 16
	check "fresh" fresh $buffer
	route $out0 $in
	route $out1 $in
	check "an output goes, $buffer" write_file $loop/unbind zio-loop.0
	check "the other is fed" node-route grow /dev/zio/zloop-0001-1-0 $blocks
	check "and goes" write_file $loop/unbind zio-loop.1
	check "the input can be read" \
		dd if=/dev/zio/$in-data of=/dev/null bs=64 count=100
done
check "fresh" fresh
route $out0 $in
check "the module of the output goes" zio-unload zio-loop
check "and that of the input" zio-unload zio-zero
check "and the memory" zio-unload zio-buf-vmalloc
rmmod zio-trig-hrt zio-trig-timer
is "no module is held" "$(cat /sys/module/zio/refcnt)" 1
done_testing
