#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Alarms, statistics, attributes and times of the S-LINK driver.
# device: sspci,id=a
# device: sps,id=b
# device: sspci,id=c,peer=b
# device: sspci,id=d,io=on,device-id=18
# device: sspci,id=e,intx=off,device-id=19
# device: sspci,id=f,bar-size=32,device-id=20
# device: sspci,id=g,bar-size=0,device-id=21
# device: sps,id=h
. "${0%/*}/lib-slink.sh"

# send COUNT NAME=VALUE...: send so many events
send()
{
	n=$1
	shift
	bench event=0 "$@" count=$n mode=block
}

# come COUNT WORDS/ALARMS TEXT: so many events come with these words and alarms
come()
{
	wanted=
	for n in $(seq $1); do
		wanted="$wanted$2 "
	done
	is "$3" "$(slink-events -n $1 $node)" "$wanted"
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
	is "events and words are counted" "$(stats events words cpu-words)" \
		"events=3 words=21 cpu-words=6"
	check "there was an interrupt" test "$(stat interrupts)" -gt 0
	# The first event was armed before, and another one is armed now.
	is "the driver counts the transfers that the card starts" \
		"$(stat transfers)" "$(ask starts)"
	is "no error is counted" "$(stats transmission-errors lost-ends lost-starts \
		unknown-words truncated-words overflows link-drops aborts \
		test-errors restarts)" \
		"transmission-errors=0 lost-ends=0 lost-starts=0 \
unknown-words=0 truncated-words=0 overflows=0 link-drops=0 aborts=0 \
test-errors=0 restarts=0"
}

# counted TEXT FAULT NAME=VALUE...: counts after an event with this fault and a good one
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
	# The data word has an error, and bit 0 of the end word tells of it.
	counted "data damaged" 4 transmission-errors=2 lost-ends=0 \
		lost-starts=0 unknown-words=0
	counted "start lost" 8 transmission-errors=0 lost-ends=0 \
		lost-starts=1 unknown-words=0
	counted "end lost" 0x10 transmission-errors=0 lost-ends=1 \
		lost-starts=0 unknown-words=0
	counted "unknown word" 0x20 transmission-errors=0 lost-ends=0 \
		lost-starts=0 unknown-words=1
}

# A begin word within an event without one: the start of that event was lost.
test_starts()
{
	fresh
	send 1 size=20 inject=0x18
	wait_until 10 eval '[ "$(ask complete)" = 1 ]'
	send 1 event=1
	is "neither begin nor end, then a good one" \
		"$(slink-events -n 2 $node)" "20/0x10 20/0 "
	is "the lost start is counted" "$(stat lost-starts)" 1
}

# A link without flow control: the card's FIFO overflows.
test_overflow()
{
	fresh
	echo 2 >$in/chan0/buffer/max-buffer-len
	send 20 size=1000 xoff=0 fifo-words=2048
	check "the FIFO overflows" wait_until 10 eval \
		'[ "$(ask overflowed)" -gt 0 ] && [ "$(ask complete)" = 20 ]'
	check "the overflow is counted" wait_until 10 eval '[ "$(stat overflows)" = 1 ]'
	slink-events --drain 1 $node >/tmp/drained
	for n in 1 2; do
		send 1 size=20
		alarms=$(slink-events -n 1 $node)
	done
	is "each event has the alarm until a reset" "${alarms#*/}" "0x80 "
	check "the FIFO is reset" write_file $in/reset 3
	send 1 size=20
	alarms=$(slink-events -n 1 $node)
	send 1 size=20
	come 1 20/0 "no alarm after the reset"
	is "the overflow is counted once" "$(stat overflows)" 1
}

# Cycles that are one word short; between two events is a cycle without words.
test_test_errors()
{
	fresh
	echo 1 >$in/test
	send 2 size=31 pattern=walk begin=0 end=0
	is "cycles have one word too few" "$(slink-events -n 3 $node)" "31/0 0/0 31/0 "
	is "each cycle is an error" "$(stat test-errors)" 3
	fresh
	echo 1 >$in/test
	send 1 size=32 pattern=constant seed=1 begin=0 end=0
	come 1 32/0 "a cycle of ones"
	is "of its 32 words 31 are wrong" "$(stat test-errors)" 31
	bench pattern=count
}

# The source has another jumper setting.
test_words()
{
	fresh
	echo 0x11111110 >$in/begin-word
	echo 0xfffffff0 >$in/end-word
	is "words as they were set" "$(stats begin-word end-word word-mask)" \
		"begin-word=286331152 end-word=4294967280 word-mask=4294967280"
	send 3 size=5 begin=0x11111110 end=0xfffffff0
	come 3 5/0 "events between other words"
	is "no word is unknown" "$(stat unknown-words)" 0
	echo 0xf0000000 >$in/word-mask
	send 1 size=5 begin=0x12345670 end=0xf2345670
	come 1 5/0 "words that are alike under the mask"
	is "no word is unknown under the mask" "$(stat unknown-words)" 0
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
	is "attributes read as they were set" "$(stats return-lines width begin-word end-word \
		word-mask poll-us test reset)" "return-lines=5 width=16 \
begin-word=45296 end-word=57584 word-mask=65520 poll-us=77 test=0 reset=0"
	# The block that is armed has the attributes of the time when it was armed.
	send 2 size=5 begin=0xb0f0 end=0xe0f0
	come 1 5/0 "an event as it was armed before"
	is "the control has the attributes" "$(slink-events --attributes $node)" \
		"16 0x5 0 0xb0f0 0xe0f0 0xfff0 0xb0f0 0xe0f0"
	echo 1 >$in/test
	send 2 size=16 pattern=walk begin=0 end=0
	come 1 16/0 "a cycle as it was armed before"
	come 1 0/0 "a cycle without words between two events"
	is "the control has the self test" "$(slink-events --attributes $node)" \
		"16 0x5 0x1 0xb0f0 0xe0f0 0xfff0 0 0"
	bench pattern=count
}

# The time is that of the event: a block is armed long before it.
test_time()
{
	fresh
	for size in 0 5 3000; do
		now=$(slink-events --now)
		send 1 size=$size
		check "the time of an event of $size words" \
			slink-events --after "$now" $node
	done
	now=$(slink-events --now)
	send 1 size=200 word-ns=1000000
	check "the time is that of the begin, and not of the end" \
		slink-events --after "$now" --before 100000000 $node
}

test_output()
{
	fresh
	to=$bus/$receiver/cset0 from=$bus/$sender/cset0
	check "both links are up" wait_until 10 eval \
		'[ "$(cat $to/link)$(cat $from/link)" = 11 ]'
	echo 6 >$to/return-lines
	is "return lines at the other end" "$(cat $from/return-lines)" 6
	echo 0 >$to/return-lines
	before=$(cat $from/events)
	words=$(cat $from/words)
	check "events are sent" slink-send /dev/zio/$sender-0-0 5 10
	is "events and words are counted" "$(($(cat $from/events) - before)) \
$(($(cat $from/words) - words))" "5 50"
	slink-events --drain 1 /dev/zio/$receiver-0-0 >/tmp/drained
}

# The attributes of the source card reach its lines.
test_source()
{
	fresh_output
	echo 16 >$out/width
	is "width: UDW of the source" $((($(out_ask omb1) >> 3) & 3)) 1
	expect_write_errno "source: an unknown width" EINVAL $out/width 24
	expect_write_errno "source: an unknown reset" ERANGE $out/reset 3
	echo 32 >$out/width
	echo 0x11111110 >$out/begin-word
	echo 0xfffffff0 >$out/end-word
	out_bench sink-keep=1
	check "source: an event" slink-send $outnode 1 2
	is "source: its words, and their types" "$(out_ask sink-control) $(out_ask sink-data) \
$(out_ask sink-control) $(out_ask sink-data) $(out_ask sink-data) \
$(out_ask sink-control) $(out_ask sink-data)" "1 286331152 0 0 1 1 4294967280"
	before=$(out_ask sink-words)
	echo 1 >$out/test
	check "source: UTEST# sends cycles of the self test" wait_until 10 eval \
		'[ "$(out_ask sink-words)" -gt $((before + 100)) ]'
	echo 0 >$out/test
	drops=$(out_stat link-drops)
	echo 2 >$out/reset
	check "source: the link is up after its reset" wait_until 10 out_link_is 1
	is "source: a reset is no drop" "$(out_stat link-drops)" "$drops"
	no_output_faults "source"
}

begin_slink
[ $# -gt 0 ] || set -- counts errors starts overflow test_errors words \
	attributes time output source
end_slink "$@"
