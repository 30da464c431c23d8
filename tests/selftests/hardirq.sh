#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# rt
# not distro: without PREEMPT_RT a timer's handler may take all locks
# not kasan: the same
#
# Under PREEMPT_RT the trigger "hrt" fires in hard interrupt context. Spinlocks sleep, so
# the engine leaves much of the event to a thread. All of that happens here at once.
# Readers sleep, drivers do not allow the context, and the configuration changes. A chain,
# a route and a sniffer follow the set. The kernel reports a lock that it had to wait for.
. "${0%/*}/lib.sh"

config=/sys/kernel/config/zio
clock=$config/triggers/hrt/clock
slow=/sys/bus/zio/devices/zzero-0001/cset0
mini=/sys/bus/zio/devices/zmini-0000/cset0
chained=$zzero/cset2
output=$zzero/cset1
trace=/sys/kernel/tracing
events=$trace/events/timer/hrtimer_expire_entry
users=

start()
{
	"$@" >/dev/null 2>&1 &
	users="$users $!"
}

set_up()
{
	zio-load zio-trig-hrt && zio-load zio-trig-chain &&
		mkdir $clock $config/devices/zzero/slow || return
	echo 0 >$clock/enable
	echo 100000 >$clock/period-ns
	echo 1 >$config/devices/zzero/slow/sleeps
	echo 1 >$config/devices/zzero/slow/live
	zio-load zio-mini && zio-load zio-board driver=zio-mini || return
	for set in $cset0 $slow $mini; do
		write_file $set/current_trigger clock || return
	done
	write_file $chained/current_trigger chain || return
	write_file $chained/trigger/source zzero-0000/cset0 || return
	write_file $output/chan0/buffer/source zzero-0000-0-0
}

start_users()
{
	for node in zzero-0000-0-1 zzero-0000-0-2 zzero-0000-2-0 zzero-0001-0-0 \
		zmini-0000-0-0; do
		start cat /dev/zio/$node-data
	done
	start cat /dev/zio-sniff-ctrl
}

stop_users()
{
	# shellcheck disable=SC2086
	kill $users 2>/dev/null
	# shellcheck disable=SC2086
	wait $users
	users=
}

trace_timers()
{
	[ -e $trace/events ] || mount -t tracefs none $trace || return
	echo 'function == hrt_expired' >$events/filter 2>/dev/null
	echo 1 >$events/enable
}

# The flags of a line of the trace have an h, or an H, in an interrupt handler.
contexts()
{
	sed -n '/function=hrt_expired/s/^.*\] \([^ ]*\) .*/\1/p' $trace/trace |
		awk '{ print /[hH]/ ? "h" : $0 }' | sort -u | tr -d '\n'
}

reached()
{
	[ "$(cat "$1")" -ge "$2" ]
}

# The blocks that are queued, in the reader's hand and free change in size meanwhile.
change_settings()
{
	i=0
	until reached $clock/fired "$1"; do
		[ $i -lt 100000 ] || return
		echo $((16 + i % 3 * 16)) >$cset0/trigger/nsamples || return
		echo $((i % 2)) >$cset0/chan2/buffer/prefer-new || return
		i=$((i + 1))
	done
}

statistic()
{
	cat "$1/statistics/$2"
}

# Each tick was an event, or was missed.
ticks()
{
	echo $(($(cat $clock/fired) + $(cat $clock/missed)))
}

# accounted SET: each event has armed the set, or is counted as lost
accounted()
{
	echo $(($(statistic "$1" fired) + $(statistic "$1" lost_triggers)))
}

# Each event that has armed the set has given a block, or is counted as lost.
blocks()
{
	echo $(($(statistic "$1" blocks) + $(statistic "$1" lost_blocks)))
}

is_settled()
{
	[ "$(accounted $cset0)" -eq "$(ticks)" ] &&
		[ "$(accounted $chained)" -eq "$(statistic $cset0 fired)" ] &&
		[ "$(blocks $slow/chan0)" -eq "$(statistic $slow fired)" ]
}

check "sets whose drivers allow the context, and others" set_up
[ $failures -eq 0 ] || done_testing
check "a trace of timers" trace_timers
start_users
echo 1 >$clock/enable
check "the configuration changes under 4000 events" change_settings 4000
# No change wakes the readers now: only blocks do.
check "a reader is woken" dd if=/dev/zio/zzero-0000-0-1-data of=/dev/null \
	bs=64 count=500
echo 0 >$clock/enable
is "all events in hard interrupt context" "$(contexts)" h
echo 0 >$events/enable
check "all events are accounted for" wait_until 20 is_settled
for set in $slow $mini; do
	is "$set: events" "$(accounted $set)" "$(ticks)"
	is "$set: blocks" "$(blocks $set/chan0)" "$(statistic $set fired)"
done
is "the chain: events" "$(accounted $chained)" "$(statistic $cset0 fired)"
is "the chain: blocks" "$(blocks $chained/chan0)" "$(statistic $chained fired)"
for i in 0 1; do
	is "channel $i: blocks" "$(blocks $cset0/chan$i)" "$(statistic $cset0 fired)"
done
# "prefer-new" also loses blocks that had come.
is_between "channel 2: blocks" "$(statistic $cset0 fired)" \
	"$(statistic $cset0/chan2 blocks)" "$(blocks $cset0/chan2)"
check "blocks came" test "$(statistic $cset0/chan2 blocks)" -gt 1000
check "the route has played" test "$(statistic $output/chan0 blocks)" -gt 0
echo 1 >$clock/enable
check "boards go under load" sh -c "echo 0 >$config/devices/zzero/slow/live &&
	zio-unload zio-board"
stop_users
check "the readers have ended" true
echo none >$output/chan0/buffer/source
for set in $cset0 $chained; do
	write_file $set/current_trigger user >/dev/null
done
check "nothing is left" sh -c "rmdir $clock $config/devices/zzero/slow &&
	zio-unload zio-mini zio-trig-hrt zio-trig-chain"
done_testing
