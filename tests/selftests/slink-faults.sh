#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The S-LINK driver, and a card, a source or a bus that misbehaves: the machine lives, the
# card writes to memory of the driver only, and alarms tell the reader.
# icount
# model: zio-shutdown
# device: sspci,id=a
# device: sps,id=b
# device: sspci,id=c,peer=b
# device: sspci,id=d,io=on,device-id=18
# device: sspci,id=e,intx=off,device-id=19
# device: sspci,id=f,bar-size=32,device-id=20
# device: sspci,id=g,bar-size=0,device-id=21
# device: sps,id=h
. "${0%/*}/lib-slink.sh"

# register NAME: a register of the card, by debugfs
register()
{
	echo $((0x$(sed -n "s/^$1 *//p" /sys/kernel/debug/zio-slink-$pci/registers)))
}

moves_words()
{
	[ "$(ask dma-words)" -gt 100 ]
}

# is_still TEXT: the card transfers nothing, neither now nor when words come
is_still()
{
	is "$1: neither direction is enabled" $(($(register MCSR) & 0x4400)) 0
	before=$(ask dma-words)
	bench size=100 count=3 mode=block
	check "$1: words wait in the card" wait_until 10 eval \
		'[ "$(ask level)" -gt 100 ] || [ "$(ask complete)" -ge 3 ]'
	is "$1: none goes to memory" "$(ask dma-words)" "$before"
}

# The source has another jumper setting: all its control words are unknown.
test_unmatched()
{
	fresh
	n=1000
	bench begin=0x11111110 end=0xfffffff0 size=50 count=$n mode=block
	check "unmatched: the driver takes all words" wait_until 60 eval \
		'[ "$(stat unknown-words)" = $((2 * n)) ]'
	check "unmatched: the driver takes them in many visits" \
		test $(($(stat polls) + $(stat interrupts))) -ge $((n / 64))
	[ "$(stat polls)" -gt 0 ] || return
	bench count=0 mode=block
	check "unmatched, without end: the machine lives" wait_until 60 eval \
		'[ "$(stat unknown-words)" -ge $((6 * n)) ]'
	bench mode=stop
	echo 1 >$in/reset
	wait_until 10 link_is 1
	bench begin=0xb0f00000 end=0xe0f00000
	is "unmatched: the next event has the alarms" "$(bench event=0 size=5 count=1 mode=block
		slink-events -n 1 $node)" "5/0x1c "
	stream "after that" 20 count fixed 100 100 1
}

# Each event makes room for the next one.
test_saturated()
{
	fresh
	echo 1 >$in/chan0/buffer/prefer-new
	bench size=5 count=2000 mode=block
	check "saturated: all come" wait_until 60 eval '[ "$(stat events)" = 2000 ]'
	check "saturated: the timer goes on" test "$(stat polls)" -gt 0
	[ "$(stat polls)" -gt 0 ] || return
	bench count=0 mode=block
	check "saturated, without end: the machine lives" wait_until 60 eval \
		'[ "$(stat events)" -ge 6000 ]'
	bench mode=stop
	slink-events --drain 1 $node >/tmp/drained
	no_faults "saturated"
}

# The chip does not continue after an abort. The CPU must not take the words that are
# left.
test_abort_of_many()
{
	fresh
	bench abort-after=50 abort=master event=0 size=50000 count=1 mode=block
	got=$(slink-events -n 1 $node)
	words=${got%/*}
	is "abort of many: an alarm" "${got#*/}" "0x8 "
	is_between "abort of many: words of the CPU" "$(ask pops)" 2 30
	is "abort of many: each word is read or counted" \
		$((words + $(stat truncated-words))) 50000
	is "abort of many: counted" "$(stat aborts)" 1
	no_faults "abort of many"
}

# The chip gets the bus late: the driver waits for the end of the transfer.
test_slow_bus()
{
	fresh
	bench grant-ns=150000 event=0 size=4 rate=1000 count=40 mode=trigger
	check "slow bus: events" slink-events -n 40 --check count,0,4,4,1 $node
	is "slow bus: the CPU takes control words alone" "$(stat cpu-words)" 80
	is "slow bus: no abort" "$(stat aborts)" 0
	no_faults "slow bus"
}

# Words are on their way for longer than two reads of the registers take.
test_slow_card()
{
	fresh
	for i in 1 2 3 4; do
		bench card-ns=1500 event=0 size=1000 inject=0x80 inject-at=500 \
			count=1 mode=block
		got=$(slink-events -n 1 $node)
		[ "$got" = "500/0x40 " ] || break
		bench cable=1
		wait_until 10 link_is 1 || break
	done
	is "slow card: pulled, and no word is lost" "$got" "500/0x40 "
	no_faults "slow card"
}

# lose_state: the card loses its state, as in a reset of the bus
lose_state()
{
	bench gone=1
	bench gone=0
}

test_lost_state()
{
	fresh
	slink-events -n 2 $node >/tmp/alarms &
	reader=$!
	check "a reader" wait_until 10 is_open $reader
	lose_state
	check "lost state: noticed" wait_until 20 eval '[ "$(stat restarts)" = 1 ]'
	check "lost state: link" wait_until 10 link_is 1
	bench event=0 size=100 count=2 mode=block
	wait $reader
	is "lost state: what it reads" "$(cat /tmp/alarms)" "100/0x10 100/0 "
	check "lost state: in the log" eval \
		"dmesg | grep -q 'zio-slink $pci: the card had lost its state'"
	stream "after that" 20 random sweep 1016 1044 1
}

# Some 260 words of a page of 1024 have come.
test_lost_within()
{
	fresh
	bench event=0 size=4000 word-ns=1000000 count=1 mode=block
	check "lost within: words come" wait_until 20 moves_words
	lose_state
	bench mode=stop word-ns=30
	check "lost within: noticed" wait_until 20 eval '[ "$(stat restarts)" = 1 ]'
	check "lost within: link" wait_until 10 link_is 1
	is "lost within: no word is counted as truncated" "$(stat truncated-words)" 0
	bench event=0 size=100 count=2 mode=block
	is "lost within: what is read" "$(slink-events -n 2 $node)" \
		"100/0x10 100/0 "
	no_faults "lost within"
}

# The card loses its state, and an attribute is written before the driver notices.
test_lost_and_written()
{
	for what in "reset 2" "reset 3" "return-lines 3"; do
		fresh
		lose_state
		write_file $in/${what% *} ${what#* }
		check "$what after a loss: link" wait_until 20 link_is 1
		bench event=0 size=100 count=2 mode=block
		slink-events -n 1 $node >/tmp/first
		is "$what after a loss: events" "$(slink-events -n 1 $node)" \
			"100/0 "
	done
}

# Another kernel has left a transfer, which waits for the bus.
test_left_transfer()
{
	fresh
	bench size=100 count=1
	echo $pci >$driver/unbind
	echo 1 >/sys/bus/pci/devices/$pci/enable
	check "left: a transfer" slink-leave $pci
	echo 0 >/sys/bus/pci/devices/$pci/enable
	bench clear=1 inject=8 mode=block
	check "left: words wait for the bus" wait_until 10 eval \
		'[ "$(ask chip-level)" = 8 ]'
	check "left: bind" write_file $driver/bind $pci
	check "left: link" wait_until 10 link_is 1
	is "left: nothing was moved" "$(ask dma-words) $(ask aborts)" "0 0"
	stream "after that" 20 count fixed 100 100 1
}

# is_master: by the command register
is_master()
{
	[ $(($(od -An -tu1 -j4 -N1 /sys/bus/pci/devices/$pci/config) & 4)) -ne 0 ]
}

test_shutdown()
{
	fresh
	bench posted-ns=1000000000 event=0 size=4000 word-ns=1000000 count=1 \
		mode=block
	check "shutdown: words come" wait_until 20 moves_words
	check "the card is a bus master" is_master
	check "the card is shut down" insmod "${0%/*}/zio-shutdown.ko" device=$pci
	rmmod zio_shutdown
	is "shutdown: no write is on its way" "$(ask posted)" 0
	check_fails "shutdown: no bus master" is_master
	bench mode=stop word-ns=30 posted-ns=0
	is_still "shutdown"
	echo 0 >$in/enable
	echo 1 >$in/enable
	is_still "armed after a shutdown"
	fresh
	stream "bound again" 20 count fixed 100 100 1
}

# The card does not write to blocks that are taken back.
test_stop_input()
{
	fresh
	bench posted-ns=1000000000 event=0 size=4000 word-ns=1000000 count=1 \
		mode=block
	check "stop: words come" wait_until 20 moves_words
	echo 0 >$in/enable
	is "stop: no write is on its way" "$(ask posted)" 0
	bench mode=stop word-ns=30 posted-ns=0
	is_still "stop"
	echo 1 >$in/enable
	slink-events --drain 1 $node >/tmp/drained
	stream "after that" 20 count fixed 100 100 1
}

# send_one WORDS: send an event in the background
send_one()
{
	slink-send $outnode 1 $1 >/tmp/sent 2>&1 &
	sender_pid=$!
}

# sent TEXT WORDS: an event of so many words leaves whole
sent()
{
	before=$(out_ask sink-words)
	controls=$(out_ask sink-controls)
	check "$1: sent" slink-send $outnode 1 $2
	check "$1: begin and end" wait_until 10 eval \
		'[ $(($(out_ask sink-controls) - controls)) = 2 ]'
	is "$1: words" $(($(out_ask sink-words) - before)) $2
}

# out_register NAME: a register of the source card, by debugfs
out_register()
{
	echo $((0x$(sed -n "s/^$1 *//p" /sys/kernel/debug/zio-sps-$out_pci/registers)))
}

# send_to_peer WORDS: the cards that are back to back send and receive an event
send_to_peer()
{
	slink-events -n 1 --check count,0,$1,$1,1 /dev/zio/$receiver-0-0 &
	peer=$!
	slink-send /dev/zio/$sender-0-0 1 $1 && wait $peer
}

# The type of a word changes only after the words before it have left.
test_types()
{
	fresh_output
	for size in 1 7 8 9 1024 1025 3000; do
		sent "source: $size words" $size
	done
	no_output_faults "source: slow bus"
	out_bench out-ns=100000
	sent "source: a slow link" 20
	# The sink takes two words more: the begin word is one of them.
	out_bench out-ns=60 clear=1 sink-hold=1
	send_one 30
	check "source: XOFF" wait_until 10 eval '[ "$(out_ask sink-controls)" = 1 ]'
	check "source: meanwhile another card sends 3000 words" send_to_peer 3000
	check "source: words wait" test "$(out_ask sink-words)" -le 1
	out_bench sink-hold=0
	wait $sender_pid
	check "source: after XOFF" wait_until 10 eval \
		'[ "$(out_ask sink-controls) $(out_ask sink-words)" = "2 30" ]'
	no_output_faults "source: slow link"
}

test_stop_output()
{
	fresh_output
	out_bench sink-hold=1 posted-ns=1000000000
	send_one 8000
	# The sink takes two words only: the begin word cannot leave. The bench applies the
	# words in their order. A link that became slow last could have sent all before.
	out_bench out-ns=1000000 sink-hold=0
	check "stop output: words are read" wait_until 20 eval \
		'[ "$(out_ask read-words)" -gt 8 ]'
	# Later the driver would have no transfer to stop.
	out_bench sink-hold=1
	echo 0 >$out/enable
	is "stop output: no write is on its way" "$(out_ask posted)" 0
	is "stop output: not enabled" $(($(out_register MCSR) & 0x4000)) 0
	is "stop output: no count" "$(out_register MRTC)" 0
	before=$(out_ask read-words)
	out_bench out-ns=60 posted-ns=0 sink-hold=0
	wait $sender_pid
	echo 1 >$out/enable
	is "stop output: nothing is read" "$(out_ask read-words)" "$before"
	echo 1 >$out/reset
	wait_until 10 out_link_is 1
	sent "after that" 100
	no_output_faults "stop output"
}

# An abort of a read ends the event: the link gets no words of memory that is refused.
test_abort_output()
{
	for kind in master target; do
		fresh_output
		out_bench abort-on=read abort-after=50 abort=$kind
		check_fails "$kind abort of the output: fsync fails" slink-send $outnode 1 1000
		is "$kind abort of the output: counted" "$(out_stat aborts)" 1
		is "$kind abort of the output: lost" \
			"$(cat $out/chan0/statistics/lost_blocks)" 1
		check "$kind abort of the output: begin and end" wait_until 10 eval \
			'[ "$(out_ask sink-controls)" = 2 ]'
		is "$kind abort of the output: words" "$(out_ask sink-words)" 50
		sent "the next event" 1000
		no_output_faults "$kind abort of the output"
	done
}

# The source card loses its state in the middle of an event, and sends it again.
test_lost_output()
{
	fresh_output
	out_bench out-ns=1000000
	send_one 3000
	check "lost source: words are read" wait_until 20 eval \
		'[ "$(out_ask read-words)" -gt 8 ]'
	out_bench lose-ns=0
	out_bench out-ns=60
	check "lost source: noticed" wait_until 20 eval '[ "$(out_stat restarts)" = 1 ]'
	wait $sender_pid
	check "lost source: the event is sent again" wait_until 20 eval \
		'[ "$(out_ask sink-words)" -ge 3000 ]'
	sent "after that" 100
}

# The steps of a reset wait for each other, also behind a bridge that holds writes.
test_resets()
{
	for ns in 0 1000000000; do
		fresh
		bench posted-ns=$ns
		for i in 1 2 3 4 5; do
			for what in 3 1; do
				echo $what >$in/reset
				wait_until 10 link_is 1
			done
		done
		no_faults "resets, writes held for $ns ns"
		bench posted-ns=0
	done
	stream "after that" 20 count fixed 100 100 1
}

# When an interrupt of this line was unhandled for the last time
last_unhandled()
{
	sed -n 's/^last_unhandled //p' \
		/proc/irq/"$(cat /sys/bus/pci/devices/$pci/irq)"/spurious
}

test_shared_line()
{
	fresh
	bench size=5 count=1 mode=block
	slink-events -n 1 $node >/tmp/first
	before=$(stat interrupts)
	last=$(last_unhandled)
	# The kernel notes the time by its tick: an interrupt may come within that of the last.
	check "another device interrupts: it is not taken" wait_until 10 eval \
		'bench other-irq=20000; [ "$(last_unhandled)" != "$last" ]'
	is "another device interrupts: it is not counted" "$(stat interrupts)" \
		"$before"
	no_faults "another device"
}

# accesses NAME: so many per event
accesses()
{
	echo $((100 * $(ask reg-$1) / $2))
}

# A small event costs few accesses to the card, on any bus. Waits end after a time, and not
# after a number of reads: a slow bus makes none of them longer.
test_accesses()
{
	fresh
	bench clear=1 event=0 size=5 count=2000 mode=block
	check "accesses: events of five words" slink-events -n 2000 --check count,0,5,5,1 $node
	is_between "accesses: 100 times the reads of an event" "$(accesses reads 2000)" 700 1100
	is_between "accesses: 100 times the writes of an event" "$(accesses writes 2000)" 500 900
	bench read-ns=50000 clear=1 event=0 size=5 count=20 rate=100 mode=trigger
	check "accesses: a slow bus" slink-events -n 20 --check count,0,5,5,1 $node
	is_between "accesses: 100 times the reads of an event, slow bus" \
		"$(accesses reads 20)" 700 2000
	no_faults "accesses"
}

begin_slink
[ $# -gt 0 ] || set -- unmatched saturated abort_of_many slow_bus slow_card \
	lost_state lost_within lost_and_written left_transfer shutdown \
	stop_input types stop_output abort_output lost_output resets shared_line accesses
end_slink "$@"
