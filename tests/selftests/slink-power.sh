#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# S-LINK cards when the machine suspends, when the bus fails, and on a board with fewer
# address lines: acquisition goes on, and an alarm tells of what is lost.
# suspends
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

slow="" reader=$$

# call WHAT PCI: what the kernel calls for a shutdown or an error of the bus
call()
{
	insmod "${0%/*}/zio-shutdown.ko" what=$1 device=$2 || return
	rmmod zio_shutdown
}

# events_come N: so many more. No reader takes them if it has failed.
events_come()
{
	seen=$(($(stat events) + $1))
	wait_until 20 eval '[ "$(stat events)" -ge $seen ] || ! kill -0 $reader'
	kill -0 $reader 2>/dev/null && [ "$(stat events)" -ge $seen ]
}

# gaps_at COMMAND: under traffic, five times; each gap has an alarm. If $slow is set, the
# buffer is full, and the reader arms a block at any time, also within COMMAND.
gaps_at()
{
	text="$*${slow:+, a slow reader}"
	fresh
	[ -z "$slow" ] || echo 48 >$in/chan0/buffer/max-buffer-kb
	bench event=0 size=1 size-max=2000 sizes=random mode=block
	slink-events --gaps ${slow:+--slow $slow} $node >/tmp/gaps 2>&1 &
	reader=$!
	for n in 1 2 3 4 5; do
		events_come 50 || break
		"$@" || break
	done
	is "$text: five times" "$?$n" 05
	[ $n -lt 5 ] || check "$text: events come" events_come 50
	bench mode=stop
	kill $reader 2>/dev/null
	wait $reader
	is "$text: each gap has its alarm" $? 0
	reader=$$
	diag "$(cat /tmp/gaps)"
	no_faults "$text"
}

test_suspend()
{
	can_suspend || { skip "suspend" "the kernel has no pm_test"; return; }
	gaps_at suspend 0
	stream "after the last resume" 20 count fixed 100 100 1
}

# The card has no power meanwhile. The driver sets it up again as it was.
test_lost_power()
{
	can_suspend || { skip "lost power" "the kernel has no pm_test"; return; }
	fresh
	echo 5 >$in/return-lines
	echo 16 >$in/width
	before=$(ask omb1)
	bench lose-ns=500000000
	check "lost power: suspend" suspend 1
	check "lost power: the link is up" wait_until 20 link_is 1
	is "lost power: the lines of the card" "$(ask omb1)" "$before"
	# On 16 lines the source's control words would be others.
	echo 32 >$in/width
	bench event=0 size=100 count=2 mode=block
	is "lost power: an alarm, once" "$(slink-events -n 2 $node)" "100/0x10 100/0 "
	no_faults "lost power"
}

# The block that is being sent is sent again.
test_suspended_output()
{
	can_suspend || { skip "source" "the kernel has no pm_test"; return; }
	fresh_output
	out_bench out-ns=1000000
	slink-send $outnode 1 3000 >/tmp/sent 2>&1 &
	sender_pid=$!
	check "source: words are read" wait_until 20 eval \
		'[ "$(out_ask read-words)" -gt 8 ]'
	check "source: suspend" suspend 0
	out_bench out-ns=60
	wait $sender_pid
	is "source: sent" $? 0
	check "source: the whole event" wait_until 10 eval \
		'[ "$(out_ask sink-words)" -ge 3000 ]'
	no_output_faults "source"
}

test_error()
{
	gaps_at call error $pci
	slow=3
	gaps_at call error $pci
	slow=""
	stream "after the last reset" 20 count fixed 100 100 1
}

# is_visited: the driver looks at the card that another one sends to, as it does each second
is_visited()
{
	reads=$(peer_reads)
	wait_until 20 eval '[ "$(peer_reads)" -gt $reads ]'
}

peer_reads()
{
	slink-bench -c ${pair#* } reg-reads
}

# Nothing mends the card: the driver leaves it alone, and lets it go.
test_failure()
{
	fresh
	# No process reads: each event makes room for the next one.
	echo 1 >$in/chan0/buffer/prefer-new
	bench event=0 size=100 rate=5000 mode=trigger
	check "failure: events come" events_come 50
	check "failure: it is reported" call failure $pci
	before=$(ask reg-reads)
	seen=$(stat events)
	check "failure: meanwhile the driver looks at another card" eval \
		'is_visited && is_visited && is_visited'
	is "failure: the driver does not access the card" \
		"$(ask reg-reads) $(stat events)" "$before $seen"
	accesses="$(ask reg-reads) $(ask reg-writes)"
	set_halted $in 1 2 3
	expect_write_errno "test of a halted card" EIO $in/test 1
	is "failure: no attribute accesses the card" "$(ask reg-reads) $(ask reg-writes)" \
		"$accesses"
	bench mode=stop
	fresh
	stream "after a new bind" 20 count fixed 100 100 1
}

# set_halted SET RESET...: a halted card refuses resets, and keeps its width
set_halted()
{
	set=$1
	shift
	for what; do
		expect_errno "reset $what of a halted card" EIO write_file $set/reset $what
	done
	check "width of a halted card" write_file $set/width 16
	is "the width" "$(cat $set/width)" 16
}

test_output_failure()
{
	fresh_output
	check "source: a failure is reported" call failure $out_pci
	accesses="$(out_ask reg-reads) $(out_ask reg-writes)"
	set_halted $out 1 2
	is "source: no attribute accesses the card" \
		"$(out_ask reg-reads) $(out_ask reg-writes)" "$accesses"
	fresh_output
	no_output_faults "source"
}

# mask_of PCI: the address lines that the kernel uses for its DMA
mask_of()
{
	cat /sys/bus/pci/devices/$1/dma_mask_bits
}

unload_cards()
{
	zio-unload zio-sps
	zio-unload zio-slink
	zio-unload zio-s5933
}

has_log()
{
	dmesg | grep -q "$1"
}

test_dma_bits()
{
	is "32 address lines" "$(mask_of $pci) $(mask_of $out_pci)" "32 32"
	unload_cards
	expect_errno "33 address lines" EINVAL zio-load zio-s5933 dma_bits=33
	if ! grep -q "zone *DMA$" /proc/zoneinfo; then
		skip "few address lines" "this kernel sets no memory aside for DMA"
		load
		return
	fi
	for bits in 28 26 24; do
		check "boards with $bits address lines" zio-load zio-s5933 dma_bits=$bits
		load && find_cards
		is "$bits address lines" "$(mask_of $pci) $(mask_of $out_pci)" "$bits $bits"
		is "$bits: the buffer has memory that the board reaches" \
			"$(cat $in/current_buffer)" dma
		stream "with $bits address lines" 20 count fixed 100 100 1
		[ $bits -eq 24 ] || unload_cards
	done
	expect_write_errno "a buffer beyond 16 MiB" ENOMEM $in/current_buffer vmalloc
	check "the log names the buffer dma" has_log \
		"$pci has 24 address lines, and memory of the buffer vmalloc is beyond: use the buffer dma"
	stream "after the refusal" 20 count fixed 100 100 1
}

# debugfs shows the boot image of the card: vendor and device.
test_nvram()
{
	check "the boot image" grep -q "^00000000: dc 10 11 00" \
		/sys/kernel/debug/zio-slink-$pci/nvram
	check "the boot image of the source card" grep -q "^00000000: dc 10 10 00" \
		/sys/kernel/debug/zio-sps-$out_pci/nvram
	no_faults "boot image"
}

begin_slink
[ $# -gt 0 ] || set -- nvram suspend lost_power suspended_output error failure \
	output_failure dma_bits
end_slink "$@"
