#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What a reader of the S-LINK driver sees beside the words: each alarm, statistic,
# attribute and time.
# swiotlb
# device: sspci,id=a
# device: sspci,id=b
# device: sspci,id=c,peer=b
# device: sspci,id=d,io=on,device-id=18
# device: sspci,id=e,intx=off,device-id=19
# device: sspci,id=f,bar-size=32,device-id=20
# device: sspci,id=g,bar-size=0,device-id=21
. "${0%/*}/lib-slink.sh"

# send COUNT NAME=VALUE...: so many events
send()
{
	n=$1
	shift
	bench event=0 "$@" count=$n mode=block
}

# come COUNT WORDS/ALARMS: so many events come like this
come()
{
	wanted=
	for n in $(seq $1); do
		wanted="$wanted$2 "
	done
	is "$3" "$(node-slink alarms $node $1)" "$wanted"
}

stats()
{
	for name; do
		echo "$name=$(stat $name)"
	done | xargs
}

test_counts()
{
	fresh
	send 3 size=7
	come 3 7/0 "three events of seven words"
	is "they are counted" "$(stats events words cpu-words)" \
		"events=3 words=21 cpu-words=6"
	check "with an interrupt" test "$(stat interrupts)" -gt 0
	# The first was armed before, and one is armed now.
	is "each is a transfer, or two with its begin word" \
		"$(stat transfers)" "$(ask starts)"
	is "nothing else is" "$(stats transmission-errors lost-ends lost-starts \
		unknown-words truncated-words overflows link-drops aborts \
		test-errors restarts)" \
		"transmission-errors=0 lost-ends=0 lost-starts=0 \
unknown-words=0 truncated-words=0 overflows=0 link-drops=0 aborts=0 \
test-errors=0 restarts=0"
}

# counted TEXT FAULT NAME=VALUE...: what an event with this fault, and a good one, count
counted()
{
	fresh
	text=$1
	send 1 size=20 word-errors=1 inject=$2 inject-at=10
	shift 2
	wait_until 10 eval '[ "$(ask complete)" = 1 ]'
	send 1 event=1
	wait_until 10 eval '[ "$(stat words)" = 40 ]'
	is "counted: $text" "$(stats transmission-errors lost-ends lost-starts \
		unknown-words)" "$*"
	no_faults "$text"
}

test_errors()
{
	counted "begin damaged" 1 transmission-errors=1 lost-ends=0 \
		lost-starts=0 unknown-words=0
	# The data word, and bit 0 of the end word.
	counted "data damaged" 4 transmission-errors=2 lost-ends=0 \
		lost-starts=0 unknown-words=0
	counted "start lost" 8 transmission-errors=0 lost-ends=0 \
		lost-starts=1 unknown-words=0
	counted "end lost" 0x10 transmission-errors=0 lost-ends=1 \
		lost-starts=0 unknown-words=0
	counted "unknown word" 0x20 transmission-errors=0 lost-ends=0 \
		lost-starts=0 unknown-words=1
}

# A begin word within data that have none: the start of the first was lost.
test_starts()
{
	fresh
	send 1 size=20 inject=0x18
	wait_until 10 eval '[ "$(ask complete)" = 1 ]'
	send 1 event=1
	is "neither begin nor end, then a good one" \
		"$(node-slink alarms $node 2)" "20/0x10 20/0 "
	is "the lost start is counted" "$(stat lost-starts)" 1
}

# A link without flow control: the card's FIFO overflows.
test_overflow()
{
	fresh
	echo 2 >$in/chan0/buffer/max-buffer-len
	send 20 size=1000 xoff=0 fifo-words=2048
	check "words are lost" wait_until 10 eval \
		'[ "$(ask overflowed)" -gt 0 ] && [ "$(ask complete)" = 20 ]'
	check "that is counted" wait_until 10 eval '[ "$(stat overflows)" = 1 ]'
	node-slink drain $node 1 >/tmp/drained
	for n in 1 2; do
		send 1 size=20
		alarms=$(node-slink alarms $node 1)
	done
	is "each event tells, until a reset" "${alarms#*/}" "0x80 "
	check "a reset" write_file $in/reset 3
	send 1 size=20
	alarms=$(node-slink alarms $node 1)
	send 1 size=20
	come 1 20/0 "none after it"
	is "it is counted once" "$(stat overflows)" 1
}

# A one that walks, but one word short; and a cycle without words between two events.
test_test_errors()
{
	fresh
	echo 1 >$in/test
	send 2 size=31 pattern=walk begin=0 end=0
	is "cycles" "$(node-slink alarms $node 3)" "31/0 0/0 31/0 "
	is "each is wrong" "$(stat test-errors)" 3
	fresh
	echo 1 >$in/test
	send 1 size=32 pattern=constant seed=1 begin=0 end=0
	come 1 32/0 "a cycle of ones"
	is "of its 32 words 31 are wrong" "$(stat test-errors)" 31
	bench pattern=count
}

# Another jumper on the source.
test_words()
{
	fresh
	echo 0x11111110 >$in/begin-word
	echo 0xfffffff0 >$in/end-word
	is "words as they were set" "$(stats begin-word end-word word-mask)" \
		"begin-word=286331152 end-word=4294967280 word-mask=4294967280"
	send 3 size=5 begin=0x11111110 end=0xfffffff0
	come 3 5/0 "events between other words"
	is "none is unknown" "$(stat unknown-words)" 0
	echo 0xf0000000 >$in/word-mask
	send 1 size=5 begin=0x12345670 end=0xf2345670
	come 1 5/0 "words that are alike under the mask"
	is "none is unknown, either" "$(stat unknown-words)" 0
}

test_attributes()
{
	fresh
	echo 5 >$in/return-lines
	echo 16 >$in/width
	echo 0xb0f0 >$in/begin-word
	echo 0xe0f0 >$in/end-word
	echo 0xfff0 >$in/word-mask
	echo 77 >$in/poll-us
	is "as they were set" "$(stats return-lines width begin-word end-word \
		word-mask poll-us test reset)" "return-lines=5 width=16 \
begin-word=45296 end-word=57584 word-mask=65520 poll-us=77 test=0 reset=0"
	# The block that is armed has them as they were then.
	send 2 size=5 begin=0xb0f0 end=0xe0f0
	come 1 5/0 "an event as it was armed before"
	is "the control tells them" "$(node-slink attributes $node)" \
		"16 0x5 0 0xb0f0 0xe0f0 0xfff0 0xb0f0 0xe0f0"
	echo 1 >$in/test
	send 2 size=16 pattern=walk begin=0 end=0
	come 1 16/0 "a cycle as it was armed before"
	come 1 0/0 "none between two events"
	is "and the self test" "$(node-slink attributes $node)" \
		"16 0x5 0x1 0xb0f0 0xe0f0 0xfff0 0 0"
	bench pattern=count
}

# A block is armed long before the event.
test_time()
{
	fresh
	for size in 0 5 3000; do
		now=$(node-slink now)
		send 1 size=$size
		check "the time of an event of $size words" \
			node-slink stamped $node "$now" 0
	done
	now=$(node-slink now)
	send 1 size=200 word-ns=1000000
	check "the time is that of the begin, and not of the end" \
		node-slink stamped $node "$now" 100000000
}

test_output()
{
	fresh
	to=$bus/$receiver/cset0 from=$bus/$sender/cset1
	check "the links are up" wait_until 10 eval '[ "$(cat $to/link)" = 1 ]'
	echo 6 >$to/return-lines
	is "return lines at the other end" "$(cat $from/return-lines)" 6
	echo 0 >$to/return-lines
	before=$(cat $from/events)
	check "send" node-slink send /dev/zio/$sender-1-0 5 10
	is "they are counted" $(($(cat $from/events) - before)) 5
	node-slink drain /dev/zio/$receiver-0-0 1 >/tmp/drained
}

begin_slink
[ $# -gt 0 ] || set -- counts errors starts overflow test_errors words \
	attributes time output
for test; do
	test_$test
done
check "unload" zio-unload zio-slink
done_testing
