#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# kasan
#
# Several processes write names of modules, which are loaded. An unbind waits for one of
# them at most.
. "${0%/*}/lib.sh"

driver=/sys/bus/platform/drivers/zio-zero
loader=/proc/sys/kernel/modprobe
writers=6

# A modprobe that finds nothing, and ends when /tmp/go exists.
make_loader()
{
	printf '%s\n' '#!/bin/sh' 'echo "$*" >>/tmp/loads' \
		'until [ -e /tmp/go ]; do usleep 10000; done' 'exit 1' \
		>/tmp/slow-modprobe
	chmod +x /tmp/slow-modprobe
	: >/tmp/loads
	write_file $loader /tmp/slow-modprobe
}

is_asleep()
{
	grep -q '^State:.*D' /proc/"$1"/status
}

has_loads()
{
	[ "$(wc -l </tmp/loads)" -ge "$1" ]
}

before=$(cat $loader)
check "the slow modprobe is set up" make_loader
i=0
waiting=
while [ $i -lt $writers ]; do
	dd if=/dev/stdin of=$cset0/current_buffer 2>/dev/null <<-END &
		none$i
	END
	waiting="$waiting $!"
	i=$((i + 1))
done
check "one process loads a module" wait_until 60 has_loads 1
for pid in $waiting; do
	check "a writer sleeps" wait_until 60 is_asleep "$pid"
done
echo zio-zero.0 >$driver/unbind &
check "the unbind sleeps" wait_until 60 is_asleep $!
is "one module load has begun" "$(wc -l </tmp/loads)" 1
touch /tmp/go
wait
check_fails "the board is removed" test -e $zzero
is "no other load has begun" "$(wc -l </tmp/loads)" 1
write_file $loader "$before" >/dev/null
check "the board is bound again" write_file $driver/bind zio-zero.0
done_testing
