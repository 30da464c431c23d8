#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The driver of the S-LINK card, with emulated cards: one has a source, and two are
# connected back to back. A fault that a card counts, such as a read of an empty FIFO, is
# a fault of the driver.
# device: sspci,id=a
# device: sps,id=b
# device: sspci,id=c,peer=b
# device: sspci,id=d,io=on,device-id=18
# device: sspci,id=e,intx=off,device-id=19
# device: sspci,id=f,bar-size=32,device-id=20
# device: sspci,id=g,bar-size=0,device-id=21
# device: sps,id=h
. "${0%/*}/lib-slink.sh"

test_life()
{
	check "the link comes up" load
	pops=$(ask pops)
	check "debugfs shows the registers" \
		grep -q "^MCSR" /sys/kernel/debug/zio-slink-*/registers
	no_faults "a dump"
	is "the dump has taken no word" "$(ask pops)" "$pops"
	check "the card is unbound" write_file $driver/unbind $pci
	check "the card is bound" write_file $driver/bind $pci
	check "the link comes up again" wait_until 10 link_is 1
	expect_write_errno "an unknown width" EINVAL $in/width 24
	expect_write_errno "an unknown reset" ERANGE $in/reset 4
	expect_write_errno "five return lines" ERANGE $in/return-lines 16
	check "return lines are set" write_file $in/return-lines 5
	is "the card has these return lines" $((($(ask omb1) >> 8) & 15)) 5
	check "return lines are cleared" write_file $in/return-lines 0
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
	is "no event was lost" "$(stat chan0/statistics/lost_blocks)" 0
	for what in lost-ends lost-starts unknown-words truncated-words aborts \
		transmission-errors overflows; do
		is "$what" "$(stat $what)" 0
	done
}

# Nikhef measured this in 2000: the second transfer begins at 1033 words on any machine.
# Eight words are in the FIFO when the page is full.
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
		slink-events -n 1 --check count,0,$size,$size,1 $node || wrong=$size
		# The first transfer was set up when the begin word came.
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

# injected FAULT N: inject it into the second of three events of 100 words; print the
# words and alarms of what comes, N events after the first one
injected()
{
	bench event=0 size=100 mode=stop
	bench inject-every=0 count=1 mode=block
	first=$(slink-events -n 1 $node)
	bench inject=$1 inject-at=50 count=1 mode=block
	sleep_until_sent 2
	bench inject=0 count=1 mode=block
	sleep_until_sent 3
	echo $first $(slink-events -n $2 $node)
}

# fault TEXT BITS WORDS/ALARMS...: what comes after a good event
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
	is "a word marked bad" "$(slink-events -n 1 $node)" "100/0x1 "
	no_faults "a word marked bad"
}

test_truncation()
{
	fresh
	echo 1000 >$in/trigger/nsamples
	bench event=0 size=5000 count=2 mode=block
	is "more than a block takes" "$(slink-events -n 2 $node)" \
		"1000/0x8 1000/0x8 "
	is "it is counted" "$(stat truncated-words)" 8000
	no_faults "truncation"
	bench event=0 size=1000 count=1 mode=block
	is "the next event is whole" "$(slink-events -n 1 $node)" "1000/0 "
}

test_cable()
{
	fresh
	drops=$(stat link-drops)
	bench cable=0
	check "link down" wait_until 10 link_is 0
	bench cable=1
	check "link up again" wait_until 10 link_is 1
	is "it is counted" "$(stat link-drops)" $((drops + 1))
	stream "events come after the link was down" 20 count fixed 100 100 1
	fresh
	bench event=0 size=1000 inject=0x80 inject-at=500 count=1 mode=block
	is "pulled within an event" "$(slink-events -n 1 $node)" "500/0x40 "
	bench cable=1
	check "link up once more" wait_until 10 link_is 1
	stream "events come after a pull within an event" 20 count fixed 100 100 1
	bench card-ns=500 event=0 size=1000 inject=0x80 inject-at=500 count=1 \
		mode=block
	is "pulled while words are on their way" \
		"$(slink-events -n 1 $node)" "500/0x40 "
	bench card-ns=30 cable=1
	check "link up after that" wait_until 10 link_is 1
	for i in 1 2 3 4 5 6 7 8 9 10; do
		echo 1 >$in/reset
		wait_until 10 link_is 1 || break
		bench event=0 size=3 count=1 mode=block
		[ "$(slink-events -n 1 $node)" = "3/0 " ] || break
	done
	is "an event after each of ten resets" $i 10
	is "the link was not counted as dropped" "$(stat link-drops)" 2
	check "link reset" write_file $in/reset 2
	check "the link is up after a link reset" wait_until 10 link_is 1
	check "FIFO reset" write_file $in/reset 3
	check "card reset" write_file $in/reset 1
	check "the link is up after a card reset" wait_until 10 link_is 1
	stream "events after all resets" 20 count fixed 100 100 1
}

test_abort()
{
	for kind in master target; do
		fresh
		bench abort-after=50 abort=$kind event=0 size=100 count=1 \
			mode=block
		is "$kind abort: an alarm" "$(slink-events -n 1 $node |
			sed 's,.*/,,')" "0x8 "
		is "$kind abort: counted" "$(stat aborts)" 1
		bench count=1 mode=block
		is "$kind abort: the next one is whole" \
			"$(slink-events -n 1 $node)" "100/0 "
		bench word-ns=10000 abort-after=50 abort=$kind event=0 \
			size=100 count=1 mode=block
		is "$kind abort of a slow event: an alarm" \
			"$(slink-events -n 1 $node | sed 's,.*/,,')" "0x8 "
		bench word-ns=30 count=1 mode=block
		is "$kind abort of a slow event: the next one" \
			"$(slink-events -n 1 $node)" "100/0 "
		no_faults "$kind abort"
	done
}

test_polling()
{
	fresh
	check "polling is switched on" write_file $in/poll-us 200
	stream "polled" 500 count fixed 5 5 1
	check "the driver polls" test "$(stat polls)" -gt 0
	check "polling is switched off" write_file $in/poll-us 0
	stream "by interrupts" 100 count fixed 5 5 1
	stream "with a pause" 3 count fixed 100 100 1
	echo 200 >$in/poll-us
	bench event=0 size=1000 inject=0x80 inject-at=500 count=1 mode=block
	is "polled, and pulled within an event" \
		"$(slink-events -n 1 $node)" "500/0x40 "
	bench cable=1
	check "link up after that" wait_until 10 link_is 1
	echo 0 >$in/poll-us
}

# A driver that is behind is not interrupted for each event.
test_batches()
{
	fresh
	bench event=0 size=5 count=3000 mode=block
	check "the link is stopped when no process reads" \
		wait_until 10 eval '[ "$(ask is-xoff)" = 1 ]'
	# The card holds some hundred events. No other ones come while a process reads: a driver
	# that has done all would be interrupted for each.
	bench mode=stop
	sent=$(ask events) before=$(stat interrupts) events=$(stat events)
	check "the card holds events" test $((sent - events)) -ge 400
	check "all events come" slink-events -n $sent --check count,0,5,5,1 $node
	is_between "interrupts of $((sent - events)) small events" \
		$(($(stat interrupts) - before)) 0 $(((sent - events) / 4))
}

test_self_test()
{
	fresh
	check "the self test is switched on" write_file $in/test 1
	bench count=10 mode=test
	wait_until 10 eval '[ "$(stat events)" -ge 9 ]'
	is "cycles without an error" "$(stat test-errors)" 0
	is "cycles have 32 words" "$(slink-events -n 2 $node)" "32/0 32/0 "
	check "the self test is switched off" write_file $in/test 0
	no_faults "self test"
	slink-events --drain 1 $node >/tmp/drained
	stream "events after the self test" 20 count fixed 100 100 1
	for bits in 16 8; do
		fresh
		echo $bits >$in/width
		echo 1 >$in/test
		bench count=10 mode=test
		wait_until 10 eval '[ "$(stat events)" -ge 9 ]'
		is "cycles of $bits bits without an error" "$(stat test-errors)" 0
		is "of $bits words" "$(slink-events -n 1 $node)" "$bits/0 "
	done
}

# No process reads: the card stops the link, and nothing is lost.
test_back_pressure()
{
	fresh
	echo 64 >$in/chan0/buffer/max-buffer-len
	bench event=0 size=50 count=2000 mode=block
	check "the link is stopped" wait_until 10 eval '[ "$(ask is-xoff)" = 1 ]'
	check "all events come" slink-events -n 2000 --check count,0,50,50,1 $node
	is "no event was lost" "$(stat chan0/statistics/lost_blocks)" 0
	is "no word is lost in the card" "$(ask overflowed)" 0
	no_faults "back pressure"
}

# No process reads: each new block replaces an old one.
test_prefer_new()
{
	fresh
	echo 16 >$in/chan0/buffer/max-buffer-len
	bench event=0 size=50 count=100 mode=block
	check "prefer-new: XOFF" wait_until 10 eval '[ "$(ask is-xoff)" = 1 ]'
	echo 1 >$in/chan0/buffer/prefer-new
	check "prefer-new: all come" wait_until 20 eval '[ "$(stat events)" = 100 ]'
	lost=$(stat chan0/statistics/lost_blocks)
	is "prefer-new: lost, and read" "$lost $(slink-events --drain 1 $node)" "85 15"
	is "prefer-new: none in the card" "$(ask overflowed)" 0
	no_faults "prefer-new"
}

# A trigger without room loses its event, but not the events after it.
test_no_room()
{
	fresh
	echo 16 >$in/chan0/buffer/max-buffer-len
	zio-load zio-trig-hrt
	echo hrt >$in/current_trigger
	echo 1000000 >$in/trigger/period-ns
	bench event=0 size=50 count=100 mode=block
	check "no room: the loss is counted" wait_until 10 eval \
		'[ "$(stat chan0/statistics/lost_blocks)" -gt 0 ]'
	is "no room: all come when there is" "$(slink-events --drain 1 $node)" 100
	no_faults "no room"
	echo transparent >$in/current_trigger
	zio-unload zio-trig-hrt
}

test_back_to_back()
{
	fresh
	check "both links are up" wait_until 10 eval \
		'[ "$(cat '$bus/$receiver'/cset0/link '$bus/$sender'/cset0/link |
			xargs)" = "1 1" ]'
	for size in 1 5 1024 1025 3000; do
		slink-events -n 20 --check count,0,$size,$size,1 \
			/dev/zio/$receiver-0-0 >/tmp/checked 2>&1 &
		checker=$!
		check "send events of $size words" slink-send \
			/dev/zio/$sender-0-0 20 $size
		wait $checker
		is "the receiver has all events" "$? $(cat /tmp/checked)" "0 "
		diag "$(cd $bus/$receiver/cset0 && grep . events words lost-* \
			unknown-words truncated-words link-drops | xargs)"
	done
	for n in $pair; do
		is "no fault of card $n" "$(slink-bench -c $n faults)" 0
	done
}

# Events go to another board by a route, without a copy.
test_route()
{
	fresh
	check "a loop is loaded" zio-load zio-loop ssize=4
	loop=$bus/zloop-0000
	for set in $in $loop/cset0 $loop/cset1; do
		echo 2048 >$set/trigger/nsamples
	done
	check "a route is made" write_file $loop/cset0/chan0/buffer/source ${node#/dev/zio/}
	bench seed=0 event=0 pattern=count sizes=random size=0 size-max=2000 \
		count=50 mode=block
	check "events pass the route" slink-events -n 50 --routed --check count,2,0,2000,1 \
		/dev/zio/zloop-0000-1-0
	is "no event was lost, and no byte copied" "$(cd $loop/cset0/chan0/statistics &&
		echo $(cat route-lost copied-bytes))" "0 0"
	is "all events were shared" "$(cat $loop/cset0/chan0/statistics/shared)" 50
	zio-unload zio-loop
	no_faults "route"
}

# Changes of the configuration drop events: the next event has the alarm.
test_changes()
{
	fresh
	n=200
	! is_debug_kernel || n=50
	echo 4096 >$in/trigger/nsamples
	bench event=0 size=1 size-max=4000 sizes=random mode=block
	slink-events --gaps $node >/tmp/gaps 2>&1 &
	reader=$!
	wait_until 10 eval '[ "$(stat events)" -ge 50 ]'
	i=0
	while [ $i -lt $n ]; do
		echo 0 >$in/enable
		echo 1 >$in/enable
		i=$((i + 1))
		[ $((i % 10)) -eq 0 ] || continue
		# On a busy machine all changes could come between two events.
		seen=$(stat events)
		wait_until 10 eval '[ "$(stat events)" -gt $((seen + 1)) ]' || break
	done
	bench mode=stop
	kill $reader 2>/dev/null
	wait $reader
	is "each gap has its alarm" $? 0
	diag "$(cat /tmp/gaps)"
	no_faults "changes"
}

# The card does not answer any more, and the driver has not been unbound.
test_gone()
{
	for us in 0 100; do
		fresh
		echo $us >$in/poll-us
		bench event=0 size=100 rate=5000 mode=trigger
		dd if=$node-data of=/dev/null bs=4096 2>/tmp/said &
		reader=$!
		check "a reader, polled each $us us" wait_until 10 is_open $reader
		check "events come" wait_until 10 eval '[ "$(stat events)" -ge 50 ]'
		bench gone=1
		check "gone, polled each $us us: a reset" write_file $in/reset 1
		check "debugfs shows the registers of a card that is gone" \
			cat /sys/kernel/debug/zio-slink-$pci/registers
		check "the card is unbound" write_file $driver/unbind $pci
		wait $reader
		check "the reader is told" grep -q "No such device" /tmp/said
		bench mode=stop gone=0
		check "the card is bound" write_file $driver/bind $pci
		check "the link is up after the card has come back" wait_until 10 link_is 1
		stream "after it was gone" 20 count fixed 100 100 1
	done
}

# other_board TEXT: the driver has bound the board with the other id, which works
other_board()
{
	other=$(basename /sys/bus/pci/devices/"$(pci_of 0x0012)"/slink-*)
	check "$1: it is there" test -e $bus/"$other"
	keep="$card $in $node"
	card=$(card_of "$other") in=$bus/$other/cset0 node=/dev/zio/$other-0-0
	# Another test may have used this card.
	fresh_bench
	check "$1: link" wait_until 10 link_is 1
	echo 8192 >$in/trigger/nsamples
	stream "$1" 20 random sweep 1020 1040 1
	read -r card in node <<-END
	$keep
	END
}

# Registers are I/O ports; ids come by sysfs, and by a parameter of the module.
test_ids()
{
	is "a card with another id is not bound" \
		"$(ls -d /sys/bus/pci/devices/"$(pci_of 0x0012)"/driver 2>&1 |
			grep -c "No such file")" 1
	check "the other id is added" write_file $driver/new_id "10dc 0012"
	other_board "I/O ports"
	zio-unload zio-slink
	check "the module is loaded with ids" zio-load zio-slink ids=10dc:0012
	other_board "ids"
	zio-unload zio-slink
	for ids in 10dc,0012 10dc:0012,x; do
		expect_errno "ids=$ids" EINVAL zio-load zio-slink ids=$ids
	done
	# The card that was unplugged is now the last one on the bus: it has another name.
	load && find_cards
	is "all cards are found under new names" $? 0
}

# The driver refuses boards that it cannot use, with errno and reason.
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
	check "probe without memory" fail-nth --write $pci --stride 17 \
		--undo $driver/unbind=$pci $driver/bind
	diag "$said"
	is "no board is left" "$(ls $bus | grep -c slink)" $((n - 1))
	check "the next bind succeeds" write_file $driver/bind $pci
	check "its link is up" wait_until 10 link_is 1
	stream "after that" 20 count fixed 100 100 1
}

test_unplug()
{
	fresh
	bench event=0 size=100 rate=5000 mode=trigger
	for i in 1 2 3 4 5; do
		slink-events --drain 1 $node >/tmp/drained &
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
	check "a reader has the node open" wait_until 10 is_open $reader
	check "events come" wait_until 10 eval '[ "$(stat events)" -ge 50 ]'
	echo 1 >/sys/bus/pci/devices/$pci/remove
	wait $reader
	check "the reader is told" grep -q "No such device" /tmp/said
	check "the card is removed" test ! -e $in
	echo 1 >/sys/bus/pci/rescan
	check "the card is found again, and its link is up" wait_until 10 link_is 1
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
end_slink "$@"
