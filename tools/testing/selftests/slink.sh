#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# rt
# swiotlb
#
# The driver of the S-LINK card, with the emulated one: one card that has a source, and
# two that are connected back to back; there may be more. A fault that a card counts
# (a FIFO that was read while empty, say) is the driver's.
# swiotlb
# device: sspci,id=a
# device: sspci,id=b
# device: sspci,id=c,peer=b
# device: sspci,id=d,io=on,device-id=18
# device: sspci,id=e,intx=off,device-id=19
# device: sspci,id=f,bar-size=32,device-id=20
# device: sspci,id=g,bar-size=0,device-id=21
. "${0%/*}/lib-slink.sh"

test_life()
{
	check "the link comes up" load
	pops=$(ask pops)
	check "registers" grep -q "^MCSR" /sys/kernel/debug/zio-slink-*/registers
	no_faults "a dump"
	is "no word was taken" "$(ask pops)" "$pops"
	check "unbind" write_file $driver/unbind $pci
	check "bind" write_file $driver/bind $pci
	check "link" wait_until 10 link_is 1
	expect_write_errno "a width there is not" EINVAL $in/width 24
	expect_write_errno "no such reset" ERANGE $in/reset 4
	expect_write_errno "five return lines" ERANGE $in/return-lines 16
	check "return lines" write_file $in/return-lines 5
	is "they are there" $((($(ask omb1) >> 8) & 15)) 5
	check "return lines off" write_file $in/return-lines 0
}

test_streams()
{
	fresh
	echo 8192 >$in/trigger/nsamples
	n=300
	! is_debug_kernel || n=60
	stream "five words" $n count fixed 5 5 1
	stream "empty events" $n count fixed 0 0 1
	stream "one, two, three words" $n random sweep 1 3 1
	stream "around a page" 29 random sweep 1016 1044 1
	stream "around two pages" 24 random sweep 2040 2063 1
	stream "around the FIFO" $n random sweep 0 20 1
	stream "any size" $n random random 0 5000 1
	stream "ATLAS fragments" 50 atlas random 14 2000 1
	is "none was lost" "$(stat chan0/statistics/lost_blocks)" 0
	for what in lost-ends lost-starts unknown-words truncated-words aborts \
		transmission-errors overflows; do
		is "$what" "$(stat $what)" 0
	done
}

# The shape that Nikhef measured in 2000: whatever the machine, the second transfer
# begins at 1033 words, for eight are in the FIFO when the page is full.
test_page()
{
	fresh
	echo kmalloc >$in/current_buffer
	echo 2048 >$in/trigger/nsamples
	wrong=
	for size in $(seq 1016 1044); do
		bench event=0 size=$size count=1 mode=stop
		before=$(stat transfers)
		words=$(stat cpu-words)
		bench mode=block
		node-slink check $node 1 count 0 $size $size 1 || wrong=$size
		# Beside the one that was set up when the begin word came.
		transfers=$(($(stat transfers) - before - 1))
		cpu=$(($(stat cpu-words) - words - 2))
		want_t=1 want_c=0
		[ $size -le 1024 ] || want_c=$((size - 1024))
		[ $size -lt 1033 ] || { want_t=2; want_c=0; }
		[ "$transfers $cpu" = "$want_t $want_c" ] ||
			wrong="$wrong $size: $transfers transfers more, $cpu words"
	done
	is "a second transfer from 1033 words on, and not before" "$wrong" ""
	no_faults "1016 to 1044"
	echo vmalloc >$in/current_buffer
}

# inject FAULT: into the second of three events of 100 words; what comes
injected()
{
	bench event=0 size=100 mode=stop
	bench inject-every=0 count=1 mode=block
	first=$(node-slink alarms $node 1)
	bench inject=$1 inject-at=50 count=1 mode=block
	sleep_until_sent 2
	bench inject=0 count=1 mode=block
	sleep_until_sent 3
	echo $first $(node-slink alarms $node $2)
}

# fault TEXT BITS WORDS/ALARMS...: of what comes after a good event
fault()
{
	text=$1 bits=$2
	shift 2
	fresh
	is "$text" "$(injected $bits $#)" "100/0 $*"
	no_faults "$text"
}

test_errors()
{
	fault "begin damaged" 1 100/0x2 100/0
	fault "end damaged" 2 100/0x2 100/0
	fault "data damaged" 4 100/0x1 100/0
	fault "start lost" 8 100/0x10 100/0
	fault "end lost" 0x10 100/0x20 100/0
	fault "unknown word" 0x20 100/0x4 100/0
	fault "truncated by the source" 0x40 50/0 100/0
	fresh
	bench word-errors=1 event=0 size=100 count=1 inject=4 inject-at=50 \
		mode=block
	is "a word marked bad" "$(node-slink alarms $node 1)" "100/0x1 "
	no_faults "a word marked bad"
}

test_truncation()
{
	fresh
	echo 1000 >$in/trigger/nsamples
	bench event=0 size=5000 count=2 mode=block
	is "more than a block takes" "$(node-slink alarms $node 2)" \
		"1000/0x8 1000/0x8 "
	is "counted" "$(stat truncated-words)" 8000
	no_faults "truncation"
	bench event=0 size=1000 count=1 mode=block
	is "the next one is whole" "$(node-slink alarms $node 1)" "1000/0 "
}

test_cable()
{
	fresh
	drops=$(stat link-drops)
	bench cable=0
	check "link down" wait_until 10 link_is 0
	bench cable=1
	check "link up again" wait_until 10 link_is 1
	is "counted" "$(stat link-drops)" $((drops + 1))
	stream "and events come" 20 count fixed 100 100 1
	fresh
	bench event=0 size=1000 inject=0x80 inject-at=500 count=1 mode=block
	is "pulled within an event" "$(node-slink alarms $node 1)" "500/0x40 "
	bench cable=1
	check "link up once more" wait_until 10 link_is 1
	stream "and events come, too" 20 count fixed 100 100 1
	bench card-ns=500 event=0 size=1000 inject=0x80 inject-at=500 count=1 \
		mode=block
	is "pulled while words are on their way" \
		"$(node-slink alarms $node 1)" "500/0x40 "
	bench card-ns=30 cable=1
	check "link up after that" wait_until 10 link_is 1
	for i in 1 2 3 4 5 6 7 8 9 10; do
		echo 1 >$in/reset
		wait_until 10 link_is 1 || break
		bench event=0 size=3 count=1 mode=block
		[ "$(node-slink alarms $node 1)" = "3/0 " ] || break
	done
	is "an event after each of ten resets" $i 10
	is "the link was not counted as dropped" "$(stat link-drops)" 2
	check "link reset" write_file $in/reset 2
	check "and up" wait_until 10 link_is 1
	check "FIFO reset" write_file $in/reset 3
	check "card reset" write_file $in/reset 1
	check "up after it" wait_until 10 link_is 1
	stream "events after all resets" 20 count fixed 100 100 1
}

test_abort()
{
	for kind in master target; do
		fresh
		bench abort-after=50 abort=$kind event=0 size=100 count=1 \
			mode=block
		is "$kind abort: an alarm" "$(node-slink alarms $node 1 |
			sed 's,.*/,,')" "0x8 "
		is "$kind abort: counted" "$(stat aborts)" 1
		bench count=1 mode=block
		is "$kind abort: the next one is whole" \
			"$(node-slink alarms $node 1)" "100/0 "
		bench word-ns=10000 abort-after=50 abort=$kind event=0 \
			size=100 count=1 mode=block
		is "$kind abort of a slow event: an alarm" \
			"$(node-slink alarms $node 1 | sed 's,.*/,,')" "0x8 "
		bench word-ns=30 count=1 mode=block
		is "$kind abort of a slow event: the next one" \
			"$(node-slink alarms $node 1)" "100/0 "
		no_faults "$kind abort"
	done
}

test_polling()
{
	fresh
	check "polling" write_file $in/poll-us 200
	stream "polled" 500 count fixed 5 5 1
	check "it is polled" test "$(stat polls)" -gt 0
	check "interrupts again" write_file $in/poll-us 0
	stream "by interrupts" 100 count fixed 5 5 1
	stream "with a pause" 3 count fixed 100 100 1
	echo 200 >$in/poll-us
	bench event=0 size=1000 inject=0x80 inject-at=500 count=1 mode=block
	is "polled, and pulled within an event" \
		"$(node-slink alarms $node 1)" "500/0x40 "
	bench cable=1
	check "link up after that" wait_until 10 link_is 1
	echo 0 >$in/poll-us
}

# Whoever falls behind is not interrupted for each event.
test_batches()
{
	fresh
	bench event=0 size=5 count=3000 mode=block
	check "nobody reads" wait_until 10 eval '[ "$(ask is-xoff)" = 1 ]'
	before=$(stat interrupts)
	events=$(stat events)
	check "all come" node-slink check $node 3000 count 0 5 5 1
	is_between "interrupts of $((3000 - events)) small events" \
		$(($(stat interrupts) - before)) 0 $(((3000 - events) / 4))
}

test_self_test()
{
	fresh
	check "test words to the output" write_file $in/test 1
	bench count=10 mode=test
	wait_until 10 eval '[ "$(stat events)" -ge 9 ]'
	is "cycles without an error" "$(stat test-errors)" 0
	is "of 32 words" "$(node-slink alarms $node 2)" "32/0 32/0 "
	check "off" write_file $in/test 0
	no_faults "self test"
	node-slink drain $node 1 >/tmp/drained
	stream "events after the self test" 20 count fixed 100 100 1
	for bits in 16 8; do
		fresh
		echo $bits >$in/width
		echo 1 >$in/test
		bench count=10 mode=test
		wait_until 10 eval '[ "$(stat events)" -ge 9 ]'
		is "cycles of $bits bits without an error" "$(stat test-errors)" 0
		is "of $bits words" "$(node-slink alarms $node 1)" "$bits/0 "
	done
}

# Nobody reads: the link is told to wait, and nothing is lost.
test_back_pressure()
{
	fresh
	echo 64 >$in/chan0/buffer/max-buffer-len
	bench event=0 size=50 count=2000 mode=block
	check "XOFF" wait_until 10 eval '[ "$(ask is-xoff)" = 1 ]'
	check "all come" node-slink check $node 2000 count 0 50 50 1
	is "none was lost" "$(stat chan0/statistics/lost_blocks)" 0
	is "none in the card" "$(ask overflowed)" 0
	no_faults "back pressure"
}

# Nobody reads: an old block goes for each new one.
test_prefer_new()
{
	fresh
	echo 16 >$in/chan0/buffer/max-buffer-len
	bench event=0 size=50 count=100 mode=block
	check "prefer-new: XOFF" wait_until 10 eval '[ "$(ask is-xoff)" = 1 ]'
	echo 1 >$in/chan0/buffer/prefer-new
	check "prefer-new: all come" wait_until 20 eval '[ "$(stat events)" = 100 ]'
	lost=$(stat chan0/statistics/lost_blocks)
	is "prefer-new: lost, and read" "$lost $(node-slink drain $node 1)" "85 15"
	is "prefer-new: none in the card" "$(ask overflowed)" 0
	no_faults "prefer-new"
}

# A trigger that comes when there is no room: the event is lost, not those after it.
test_no_room()
{
	fresh
	echo 16 >$in/chan0/buffer/max-buffer-len
	zio-load zio-trig-hrt
	echo hrt >$in/current_trigger
	echo 1000000 >$in/trigger/period-ns
	bench event=0 size=50 count=100 mode=block
	check "no room: it is told" wait_until 10 eval \
		'[ "$(stat chan0/statistics/lost_blocks)" -gt 0 ]'
	is "no room: all come when there is" "$(node-slink drain $node 1)" 100
	no_faults "no room"
	echo transparent >$in/current_trigger
	zio-unload zio-trig-hrt
}

test_back_to_back()
{
	fresh
	check "the links are up" wait_until 10 eval \
		'[ "$(cat '$bus/$receiver'/cset0/link)" = 1 ]'
	for size in 1 5 1024 1025 3000; do
		node-slink check /dev/zio/$receiver-0-0 20 count 0 $size $size \
			1 >/tmp/checked 2>&1 &
		checker=$!
		check "send events of $size words" node-slink send \
			/dev/zio/$sender-1-0 20 $size
		wait $checker
		is "they come" "$? $(cat /tmp/checked)" "0 "
		diag "$(cd $bus/$receiver/cset0 && grep . events words lost-* \
			unknown-words truncated-words link-drops | xargs)"
	done
	for n in $pair; do
		is "no fault of card $n" "$(slink-bench -c $n faults)" 0
	done
}

# Events go to another board, with no program and no copy.
test_route()
{
	fresh
	check "another board" zio-load zio-loop ssize=4
	loop=$bus/zloop-0000
	for set in $in $loop/cset0 $loop/cset1; do
		echo 2048 >$set/trigger/nsamples
	done
	check "a route" write_file $loop/cset0/chan0/buffer/source ${node#/dev/zio/}
	bench seed=0 event=0 pattern=count sizes=random size=0 size-max=2000 \
		count=50 mode=block
	check "events pass" node-slink check-routed /dev/zio/zloop-0000-1-0 50 \
		count 2 0 2000 1
	is "none was lost, no byte copied" "$(cd $loop/cset0/chan0/statistics &&
		echo $(cat route-lost copied-bytes))" "0 0"
	is "all were shared" "$(cat $loop/cset0/chan0/statistics/shared)" 50
	zio-unload zio-loop
	no_faults "route"
}

# What is dropped, because the configuration changes, the next event tells.
test_changes()
{
	fresh
	n=200
	! is_debug_kernel || n=50
	echo 4096 >$in/trigger/nsamples
	bench event=0 size=1 size-max=4000 sizes=random mode=block
	node-slink gaps $node >/tmp/gaps 2>&1 &
	reader=$!
	wait_until 10 eval '[ "$(stat events)" -ge 50 ]'
	i=0
	while [ $i -lt $n ]; do
		echo 0 >$in/enable
		echo 1 >$in/enable
		i=$((i + 1))
	done
	bench mode=stop
	wait $reader
	is "each gap has its alarm" $? 0
	diag "$(cat /tmp/gaps)"
	no_faults "changes"
}

# Nobody answers any more, though the driver has not been told.
test_gone()
{
	for us in 0 100; do
		fresh
		echo $us >$in/poll-us
		bench event=0 size=100 rate=5000 mode=trigger
		dd if=$node-data of=/dev/null bs=4096 2>/tmp/said &
		reader=$!
		check "a reader, polled each $us us" wait_until 10 is_open $reader
		check "traffic" wait_until 10 eval '[ "$(stat events)" -ge 50 ]'
		bench gone=1
		check "gone, polled each $us us: a reset" write_file $in/reset 1
		check "the dump" cat /sys/kernel/debug/zio-slink-$pci/registers
		check "unbind" write_file $driver/unbind $pci
		wait $reader
		check "the reader is told" grep -q "No such device" /tmp/said
		bench mode=stop gone=0
		check "bind" write_file $driver/bind $pci
		check "it works again" wait_until 10 link_is 1
		stream "after it was gone" 20 count fixed 100 100 1
	done
}

# other_board: there is a device for the board with another id, and it works
other_board()
{
	other=$(basename /sys/bus/pci/devices/"$(pci_of 0x0012)"/slink-*)
	check "$1: it is there" test -e $bus/"$other"
	keep="$card $in $node"
	card=$(card_of "$other") in=$bus/$other/cset0 node=/dev/zio/$other-0-0
	check "$1: link" wait_until 10 link_is 1
	echo 8192 >$in/trigger/nsamples
	stream "$1" 20 random sweep 1020 1040 1
	read -r card in node <<-END
	$keep
	END
}

# Registers as I/O ports; ids by sysfs, and by the module's parameter.
test_ids()
{
	is "an id that is not the card's" \
		"$(ls -d /sys/bus/pci/devices/"$(pci_of 0x0012)"/driver 2>&1 |
			grep -c "No such file")" 1
	check "new_id" write_file $driver/new_id "10dc 0012"
	other_board "I/O ports"
	zio-unload zio-slink
	check "ids" zio-load zio-slink ids=10dc:0012
	other_board "ids"
	zio-unload zio-slink
	for ids in 10dc,0012 10dc:0012,x; do
		expect_errno "ids=$ids" EINVAL zio-load zio-slink ids=$ids
	done
	# The card that was unplugged is the last on the bus now: it has another name.
	load && find_cards
	is "all cards are found under new names" $? 0
}

# Boards that cannot be used are refused, with errno and reason.
test_refused()
{
	for id in 0013 0014 0015; do
		case $id in
		0013) what="no interrupt" ;;
		*) what="BAR 0 is smaller than the registers" ;;
		esac
		board=$(pci_of 0x$id)
		echo 10dc $id >$driver/new_id
		expect_errno "board $id: $what" ENODEV \
			write_file $driver/bind $board
		check "board $id: the reason" eval "dmesg |
			grep -q 'zio-slink $board: .*: $what'"
	done
}

# Each allocation of a probe fails once.
test_no_memory()
{
	if [ ! -d /sys/kernel/debug/failslab ] ||
		[ ! -e /proc/self/fail-nth ]; then
		skip "no memory" "this kernel cannot inject failures"
		return
	fi
	for what in failslab fail_page_alloc; do
		echo N >/sys/kernel/debug/$what/ignore-gfp-wait
		echo 0 >/sys/kernel/debug/$what/verbose
	done
	n=$(ls $bus | grep -c slink)
	write_file $driver/unbind $pci >/dev/null
	check "probe without memory" node-fault write $driver/bind $pci \
		$driver/unbind $pci 17
	diag "$said"
	is "nothing is left" "$(ls $bus | grep -c slink)" $((n - 1))
	check "the next try" write_file $driver/bind $pci
	check "its link" wait_until 10 link_is 1
	stream "after that" 20 count fixed 100 100 1
}

test_unplug()
{
	fresh
	bench event=0 size=100 rate=5000 mode=trigger
	for i in 1 2 3 4 5; do
		node-slink drain $node 1 >/tmp/drained &
		reader=$!
		wait_until 10 eval '[ "$(stat events)" -ge 50 ]' || break
		echo $pci >$driver/unbind
		wait $reader
		echo $pci >$driver/bind
		wait_until 10 link_is 1 || break
	done
	is "unbind under traffic" $i 5
	dd if=$node-data of=/dev/null bs=4096 2>/tmp/said &
	reader=$!
	check "a reader" wait_until 10 is_open $reader
	check "traffic" wait_until 10 eval '[ "$(stat events)" -ge 50 ]'
	echo 1 >/sys/bus/pci/devices/$pci/remove
	wait $reader
	check "the reader is told" grep -q "No such device" /tmp/said
	check "it is gone" test ! -e $in
	echo 1 >/sys/bus/pci/rescan
	check "and comes back" wait_until 10 link_is 1
	bench mode=stop
	no_faults "unplugged"
	fresh
	find_cards
	is "all cards are found again" $? 0
}

begin_slink
[ $# -gt 0 ] || set -- life streams page errors truncation cable abort \
	polling batches self_test back_pressure prefer_new no_room \
	back_to_back route changes unplug gone ids refused no_memory
for test; do
	test_$test
done
check "unload" zio-unload zio-slink
done_testing
