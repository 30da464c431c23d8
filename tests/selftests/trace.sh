#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The tracepoints, and zio trace: the life of a block, a loss with its cause, a removal.
. "${0%/*}/lib.sh"

tracefs=/sys/kernel/tracing
node=/dev/zio/zzero-0000-0-1
trigger=$cset0/trigger

instances()
{
	ls $tracefs/instances
}

is_tracing()
{
	grep -q '^1$' $tracefs/instances/zio-$child/events/zio/enable
}

# trace ARGUMENT...: zio trace in the background; its output is in /tmp/got
trace()
{
	zio trace "$@" >/tmp/got 2>/tmp/err &
	child=$!
	check "zio trace $*: the events are on" wait_until 20 is_tracing
}

# stop TEXT: Ctrl-C ends zio trace, which leaves nothing
stop()
{
	kill -INT $child
	status=0
	wait $child || status=$?
	is "$1: ended by Ctrl-C" $status 130
	is "$1: no message" "$(grep -v 'has dropped events' /tmp/err)" ''
	is "$1: no instance is left" "$(instances)" ''
}

fire()
{
	write_file $trigger/fire 1
}

# events PATTERN: the events in /tmp/got that match, in order, in one line
events()
{
	grep -- "$1" /tmp/got | sed 's/.*"event":"\([a-z]*\)".*/\1/' | xargs
}

has_event()
{
	grep -q "\"event\":\"$1\"" /tmp/got
}

# has_words TEXT REGEX
has_words()
{
	verdict "plain: $1" "$(cat /tmp/got)" \
		grep -Eq "^[0-9:]{8}\.[0-9]{6}  $2\$" /tmp/got
}

test_errors()
{
	check_fails "no such object" zio trace nothing-0
	check_fails "an attribute" zio trace zzero/0/enable
	check "an attribute: what to do" sh -c 'echo "$1" | grep -q "name a device"' - "$said"
	[ ! -e $tracefs/events ] || return
	check_fails "no tracefs" zio trace
	check "no tracefs: what to do" \
		sh -c 'echo "$1" | grep -q "mount -t tracefs none"' - "$said"
	check "tracefs is mounted" mount -t tracefs none $tracefs
}

# Channel 1 is asked for, and the set has three.
test_life()
{
	trace --json zzero-0-1
	check "life: an event" fire
	dd if=$node-data of=/dev/null bs=16 count=1 2>/dev/null &
	reader=$!
	wait $reader
	is "life: a block is read" $? 0
	check "life: it is there" wait_until 20 has_event read
	stop life
	is "life: in order" "$(events .)" "fire arm done read"
	is "life: one block" "$(events '"object":"zzero-0000-0-1".*"seq":0,"len":16')" \
		"arm done read"
	is "life: the trigger" "$(events '"object":"zzero-0000-0",.*"trigger":"sysfs"')" fire
	is "life: the reader" "$(events "\"pid\":$reader,")" read
}

# The buffer has room for two blocks.
test_loss()
{
	check "loss: two blocks" write_file $cset0/chan1/buffer/max-buffer-len 2
	trace --json zzero/0/1
	for i in 1 2 3; do
		check "loss: event $i" fire
	done
	check "loss: it is there" wait_until 20 has_event lost
	stop loss
	is "loss: in order" "$(events .)" "fire arm done fire arm done fire lost"
	is "loss: the cause" "$(events '"what":"blocks","n":1,"seq":3,"cause":"no-block"')" lost
	is "loss: as counted" "$(cat $cset0/chan1/statistics/lost_blocks)" 1
}

test_plain()
{
	trace
	fire
	zio flush zzero/0 >/dev/null
	fire
	dd if=$node-data of=/dev/null bs=16 count=1 2>/dev/null
	check "the board goes" zio-unload zio-zero
	check "plain: it is there" wait_until 20 grep -q removed /tmp/got
	stop plain
	has_words "an event" 'zzero-0000-0      the trigger sysfs fires'
	has_words "armed" 'zzero-0000-0-1    block 5 is armed: 16 bytes'
	has_words "done" 'zzero-0000-0-1    block 5 is done, alarms 0x1: 16 bytes'
	has_words "read" 'zzero-0000-0-1    block 5 is read by .+ \([0-9]+\): 16 bytes'
	has_words "lost" 'zzero-0000-0-1    lost 1 block, number 4: no block was free: .*'
	has_words "removed" 'zzero-0000        the device is removed'
	check "the board is back" zio-load zio-zero
}

test_file()
{
	check "file: trigger" write_file $cset0/current_trigger sysfs
	trace --output=/tmp/timeline zzero-0-1
	fire
	stop file
	is "file: nothing is printed" "$(cat /tmp/got)" ''
	is "file: an array" "$(head -c 1 /tmp/timeline)$(tail -n 1 /tmp/timeline)" '[]'
	is "file: a bar" "$(grep -o '"ph":"[be]"' /tmp/timeline | xargs)" 'ph:b ph:e'
	is "file: its names" "$(sed -n 's/.*"args":{"name":"\([^"]*\)"}.*/\1/p' /tmp/timeline |
		xargs)" 'zzero-0000 zzero-0000-0 zzero-0000-0-1'
}

# The reader of the output goes: the next line ends zio trace, as SIGPIPE ends others.
test_pipe()
{
	{ zio trace zzero-0-1 2>/tmp/err; echo $? >/tmp/status; } | head -n 1 >/tmp/got &
	child=$!
	check "pipe: the events are on" wait_until 20 sh -c \
		"grep -q 1 $tracefs/instances/zio-*/events/zio/enable"
	for i in 1 2; do
		fire
		check "pipe: event $i: its end" wait_until 20 test -s /tmp/got
	done
	wait $child
	check "pipe: no instance is left" wait_until 20 sh -c \
		"! ls $tracefs/instances | grep -q ."
	is "pipe: its status and message" "$(cat /tmp/status /tmp/err)" 141
}

# Events come faster than a terminal shows them: Ctrl-C, a full disk and a reader that goes end
# the program all the same.
test_flood()
{
	check "flood: a fast trigger" zio-load zio-trig-hrt
	check "flood: the set has it" write_file $cset0/current_trigger hrt
	check "flood: its period" write_file $trigger/period-ns 100000
	trace
	check "flood: events" wait_until 20 grep -q 'lost 1 block' /tmp/got
	stop flood
	trace --output=/tmp/timeline
	check "flood, file: events" wait_until 20 test -s /tmp/timeline
	stop "flood, file"
	is "flood, file: an array" "$(head -c 1 /tmp/timeline)$(tail -n 1 /tmp/timeline)" '[]'
	check_fails "flood: a full disk" zio trace --output=/dev/full
	is "flood: a full disk, no instance is left" "$(instances)" ''
	zio trace 2>/dev/null | head -n 1 >/tmp/got
	check "flood: no instance is left" wait_until 20 sh -c \
		"! ls $tracefs/instances | grep -q ."
	check "flood: its end" write_file $cset0/current_trigger sysfs
}

# A program chooses its name: it can neither hide its reads nor command the terminal.
test_names()
{
	program="/tmp/$(printf 'a\nb\033[31m')"
	ln -s "$(command -v zio-dump)" "$program"
	zio flush zzero/0 >/dev/null
	trace zzero-0-1
	"$program" -n 3 zzero-0-1 >/dev/null &
	reader=$!
	# The kernel knows the name when the program has slept for a block.
	for i in 1 2 3; do
		fire
		check "name: read $i is there" wait_until 20 sh -c \
			"[ \$(grep -c 'is read by' /tmp/got) = $i ]"
	done
	wait $reader
	stop name
	has_words "a name with a line feed" \
		'zzero-0000-0-1    block [0-9]+ is read by a\\x0ab\\x1b\[31m \([0-9]+\): 16 bytes'
}

# A new instance begins with the options of the machine.
test_options()
{
	for option in record-tgid noirq-info nocontext-info hex; do
		write_file $tracefs/trace_options $option
	done
	zio flush zzero/0 >/dev/null
	trace --json zzero-0-1
	fire
	stop options
	is "options of the machine: the events" "$(events .)" "fire arm done"
	for option in norecord-tgid irq-info context-info nohex; do
		write_file $tracefs/trace_options $option
	done
}

test_fifo()
{
	mkfifo /tmp/fifo
	check_fails "a FIFO without a reader" zio trace --output=/tmp/fifo
	is "a FIFO without a reader: no instance is left" "$(instances)" ''
}

# The program does not wait for events that cannot come.
test_modules_go()
{
	trace
	check "modules go: zio goes" sh -c 'zio-unload zio-zero && zio-unload zio-trig-sysfs &&
		zio-unload zio-trig-hrt && zio-unload zio-buf-kmalloc && zio-unload zio'
	status=0
	wait $child || status=$?
	is "modules go: the end" $status 1
	check "modules go: what to do" grep -q 'start the trace again' /tmp/err
	is "modules go: no instance is left" "$(instances)" ''
}

test_modules_gone()
{
	check_fails "no module: zio trace" zio trace
	check "no module: what to do" sh -c 'echo "$1" | grep -q "modprobe zio"' - "$said"
}

test_errors
check "a trigger for each event" zio-load zio-trig-sysfs
check "the set has it" write_file $cset0/current_trigger sysfs
test_life
test_loss
test_plain
test_file
test_pipe
test_flood
test_names
test_options
test_fifo
test_modules_go
test_modules_gone
done_testing
