#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# check
# model: ex-board
# model: ex-digitiser
# model: ex-tdc
#
# The drivers of Documentation/porting/example.md, with the checks of first-boot.md.
. "${0%/*}/lib.sh"

adc=/sys/bus/zio/devices/exadc-0000
tdc=/sys/bus/zio/devices/extdc-0000
world=/sys/module/ex_board/parameters
bus=/sys/bus/platform/drivers

plug()
{
	for module in ex-board ex-digitiser ex-tdc; do
		insmod "${0%/*}/$module.ko" || return
	done
	zio-links
}

# pulses N: at the channels of the TDC in turn
pulses()
{
	write_file $world/pulse "$1"
}

# pulse_times CSET N: the seconds of N blocks, one a line
pulse_times()
{
	zio-dump -n "$2" "extdc-0-$1" | sed -n 's/^  time *//p'
}

# counts_up NODE BYTES: the samples of the model count up
counts_up()
{
	dd if="$1" bs="$2" count=1 2>/dev/null | od -An -v -tu2 -w2 | awk '
		NR > 1 && $1 != last + 1 { bad = 1 }
		{ last = $1 }
		END { exit bad || !NR }'
}

test_digitiser()
{
	is "it has its own trigger" "$(cat $adc/cset0/current_trigger)" exadc
	is "an attribute is read from the board" "$(cat $adc/temperature)" 41500
	expect_write_errno "a source that the board does not have" ERANGE \
		$adc/cset0/trigger/source 2
	check "the board waits for its input" write_file $adc/cset0/trigger/source 1
	check "what was acquired is dropped" write_file $adc/cset0/chan0/flush 1
	check "pre-samples" write_file $adc/cset0/trigger/pre-samples 4
	check "post-samples" write_file $adc/cset0/trigger/post-samples 12
	check "drop again" write_file $adc/cset0/chan0/flush 1
	check "an event at the input" write_file $world/fire 1
	zio-dump -a -n 1 exadc-0-0 >/tmp/block
	check "the block has 16 samples of 2 channels" grep -q '32 samples' /tmp/block
	check "its control has the attribute" grep -q 'source.*1' /tmp/block
	check "another event" write_file $world/fire 1
	check "its samples count up" counts_up /dev/zio/exadc-0000-0-0-data 64
	is "no block is lost" "$(cat $adc/cset0/chan0/statistics/lost_blocks)" 0
}

test_shots()
{
	check "three shots" write_file $adc/cset0/trigger/nshots 3
	check "drop what came before" write_file $adc/cset0/chan0/flush 1
	check "the event of the first shot" write_file $world/fire 1
	zio-dump -n 3 exadc-0-0 | sed -n 's/^  time *//p' >/tmp/shots
	is "each shot is a block" "$(wc -l </tmp/shots)" 3
	check "each has a time of its own, in order" sort -c -u /tmp/shots
	expect_write_errno "more than the memory of the board" ENOSPC \
		$adc/cset0/trigger/post-samples 4000
	check "one shot again" write_file $adc/cset0/trigger/nshots 1
}

test_tdc()
{
	is "the name of a set" "$(cat $tdc/cset1/name)" ex-ch2
	pulses 4
	check "each channel has its pulses" wait_until 10 eval \
		'[ "$(cat $tdc/cset?/chan0/statistics/blocks | xargs)" = "2 2" ]'
	pulse_times 0 2 >/tmp/times
	check "the times are in order" sort -c -n /tmp/times
	check "an offset of -1 s, in ticks of 8 ns" write_file $tdc/cset0/user-offset -125000000
	now=$(date +%s)
	pulses 1
	is_between "the block is a second early" "$((now - $(pulse_times 0 1 | cut -d. -f1)))" 0 1
	is "channel 1 has no offset" "$(cat $tdc/cset1/user-offset)" 0
}

# is_full: after two more pulses; one of the 16 blocks is armed. Interrupts may come late.
is_full()
{
	pulses 2 && [ "$(cat $tdc/cset0/chan0/buffer/queued-buffer-len)" -ge 15 ]
}

# The buffers fill up, then the FIFOs of the board; its own count tells the rest.
test_losses()
{
	check "the buffer fills up" wait_until 10 is_full
	pulses 100
	check "the board counts what it dropped" [ "$(cat $tdc/dropped)" -gt 0 ]
	is "what the board dropped is no lost block" \
		"$(cat $tdc/cset0/chan0/statistics/lost_blocks)" 0
	pulse_times 0 16 >/dev/null
	before=$(cat $tdc/cset0/chan0/statistics/blocks)
	check "the FIFO is read when there is room" [ "$before" -gt 16 ]
}

# removed DRIVER BOARD NODE: unbind while a program reads and another one resizes
removed()
{
	write_file $adc/cset0/trigger/source 0
	cat "$3-data" >/dev/null 2>&1 &
	reader=$!
	(while write_file "${4-$adc}/cset0/trigger/post-samples" 20; do :; done) >/dev/null 2>&1 &
	check "$1: unbind under load" write_file "$bus/$1/unbind" "$2"
	wait
	check "$1: the reader has ended" [ ! -e "/proc/$reader" ]
}

if ! grep -q regmap_init /proc/kallsyms; then
	skip "the ported drivers" "this kernel has no regmap"
	done_testing
fi
check "the boards are there" plug
test_digitiser
test_shots
test_tdc
test_losses
removed ex-adc ex-adc.0 /dev/zio/exadc-0000-0-0
removed ex-tdc ex-tdc.0 /dev/zio/extdc-0000-0-0 $tdc
is "no device is left" "$(ls -d /sys/bus/zio/devices/ex* 2>/dev/null)" ""
for driver in ex-adc ex-tdc; do
	check "$driver is bound again" write_file $bus/$driver/bind $driver.0
done
for module in ex_tdc ex_digitiser ex_board; do
	check "rmmod $module" rmmod $module
done
done_testing
