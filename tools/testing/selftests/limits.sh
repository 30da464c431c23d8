#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# leaks
#
# What a user may have, and what is charged for it.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000
cg=/tmp/cgroup
group=$cg/user

make_group()
{
	mkdir -p $cg && mount -t cgroup2 none $cg &&
	grep -q memory $cg/cgroup.controllers &&
	echo +memory >$cg/cgroup.subtree_control && mkdir $group
}

# in_group COMMAND...
in_group()
{
	# shellcheck disable=SC2016
	sh -c 'echo $$ >'$group'/cgroup.procs && exec "$@"' sh "$@"
}

# 4096 slots of 512 bytes.
test_charges()
{
	echo 4096 >$cset0/chan2/buffer/max-buffer-len
	check "a ring is charged to its opener" in_group \
		node-limit ring $node-0-2-ctrl $group/memory.current 2048
	check "so are sniffers" in_group \
		node-limit opens /dev/zio/sniff-ctrl $group/memory.current 2000 512
	echo 1M >$group/memory.max
	check "a ring that is too much for a group" in_group \
		node-limit no-ring $node-0-2-ctrl
	is "nobody was killed for it" \
		"$(sed -n 's/^oom_kill //p' $group/memory.events)" 0
	echo max >$group/memory.max
	check "it works without the limit" in_group \
		node-limit ring $node-0-2-ctrl $group/memory.current 2048
}

check "the buffer loads" zio-load zio-buf-vmalloc
echo vmalloc >$cset0/current_buffer
echo 16384 >$cset0/trigger/nsamples
chmod a+r $node-0-2-*
if make_group 2>/dev/null; then
	test_charges
else
	skip "memory is charged" "no memory controller"
fi
echo 20 >/sys/module/zio/parameters/user_sessions
check "a user has so many sessions" node-limit sessions $node-0-2-data 20
echo 1024 >/sys/module/zio/parameters/user_sessions
check "pages are lent up to a limit" node-limit lent $node-0-2
done_testing
