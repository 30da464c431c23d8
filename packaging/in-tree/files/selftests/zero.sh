#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# zero.sh: read blocks of zio-zero with two buffers, and through a mapped ring

skip=4
cset=/sys/bus/zio/devices/zzero-0000/cset0
here=$(dirname "$0")

if [ "$(id -u)" -ne 0 ]; then
	echo "1..0 # SKIP not root"
	exit $skip
fi
for module in zio-buf-kmalloc zio-buf-vmalloc zio-zero; do
	if ! modprobe $module; then
		echo "1..0 # SKIP no module $module"
		exit $skip
	fi
done
if [ ! -d $cset ]; then
	echo "1..0 # SKIP no device zzero-0000"
	exit $skip
fi

n=0
failed=0

# result STATUS NAME
result()
{
	n=$((n + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $n $2"
	else
		echo "not ok $n $2"
		failed=1
	fi
}

echo "TAP version 13"
echo "1..4"
before=$(cat $cset/current_buffer)

for buffer in kmalloc vmalloc; do
	echo $buffer >$cset/current_buffer &&
		[ "$(cat $cset/current_buffer)" = $buffer ] &&
		"$here/read_blocks" read
	result $? "read() with the buffer $buffer"
done

"$here/read_blocks" ring
result $? "the mapped ring"

! echo none >$cset/current_buffer 2>/dev/null &&
	[ "$(cat $cset/current_buffer)" = vmalloc ]
result $? "an unknown buffer changes nothing"

echo "$before" >$cset/current_buffer
exit $failed
