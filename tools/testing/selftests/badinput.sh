#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Bad input: each gets its errno, and changes nothing.
. "${0%/*}/lib.sh"

node=/dev/zio/zzero-0000

test_numbers()
{
	for file in cset0/enable cset0/chan0/enable cset0/chan0/alarms \
		cset0/trigger/enable cset0/trigger/nshots \
		cset0/trigger/nsamples cset0/trigger/pre-samples \
		cset0/trigger/post-samples cset0/timeout-ms cset0/chan0/buffer/max-buffer-len \
		cset0/chan0/buffer/prefer-new cset0/chan0/buffer/watermark \
		cset1/enable cset1/trigger/nsamples \
		cset2/chan0/gain-factor cset2/chan0/offset \
		cset2/chan0/sequence; do
		check "what is no number for $file" \
			node-bad numbers "$zzero/$file"
	done
}

# All writable files are among those above, or are names.
test_completeness()
{
	is "which files can be written" "$(cd $zzero && find cset* -type f \
		-perm -200 ! -name uevent | sed 's,.*/,,' | sort -u | xargs)" \
		"alarms clock current_buffer current_trigger enable gain-factor max-buffer-len nsamples nshots offset post-samples pre-samples prefer-new sequence source timeout-ms watermark"
}

test_limits()
{
	buffer=$cset0/chan0/buffer
	for file in cset0/enable cset0/chan0/enable cset0/trigger/enable \
		cset0/chan0/buffer/prefer-new; do
		expect_write_errno "$file: 2" EINVAL "$zzero/$file" 2
	done
	expect_write_errno "no samples" EINVAL $cset0/trigger/nsamples 0
	expect_write_errno "no shots" EINVAL $cset0/trigger/nshots 0
	expect_write_errno "two shots" EOPNOTSUPP $cset0/trigger/nshots 2
	expect_write_errno "pre-samples" EOPNOTSUPP $cset0/trigger/pre-samples 1
	expect_write_errno "no blocks" EINVAL $buffer/max-buffer-len 0
	expect_write_errno "too many blocks" EINVAL $buffer/max-buffer-len 65537
	expect_write_errno "watermark 0" EINVAL $buffer/watermark 0
	expect_write_errno "watermark above the length" EINVAL \
		$buffer/watermark 17
	expect_write_errno "alarms that cannot be" ERANGE \
		$cset0/chan0/alarms 65536
}

test_names()
{
	for file in current_buffer current_trigger; do
		check "what is no name for $file" \
			node-bad names $cset0/$file
	done
	check "the old buffer runs" \
		node-basic sawtooth $node-0-2-data 16
	check "the same buffer again" write_file $cset0/current_buffer kmalloc
	check "the same trigger again" write_file $cset0/current_trigger user
}

test_memory()
{
	for n in 4294967295 2147483648 268435456; do
		expect_write_errno "blocks of $n samples" ENOMEM \
			$cset0/trigger/nsamples $n
		expect_write_errno "blocks of 4 times $n bytes" ENOMEM \
			$zzero/cset2/trigger/nsamples $n
	done
	check "the old size goes on" node-basic sawtooth $node-0-2-data 16
	is "in blocks of" "$(node-basic control $node-0-2-ctrl |
		sed -n s/nsamples=//p)" 16
}

# More than the machine has, in small pieces: nobody may be killed for that.
test_out_of_memory()
{
	killed=$(awk '/^oom_kill / { print $2 }' /proc/vmstat)
	check "65536 blocks of 16 bytes" \
		write_file $zzero/cset2/chan0/buffer/max-buffer-len 65536
	expect_write_errno "65536 blocks of 32 KiB" ENOMEM \
		$zzero/cset2/trigger/nsamples 8192
	is "nobody was killed for memory" \
		"$(awk '/^oom_kill / { print $2 }' /proc/vmstat)" "$killed"
	check "16 blocks again" \
		write_file $zzero/cset2/chan0/buffer/max-buffer-len 16
}

test_nodes()
{
	check "nodes opened the wrong way" \
		node-bad modes $node-0-0-data $node-1-0-data 0
	check "controls opened the wrong way" \
		node-bad modes $node-0-0-ctrl $node-1-0-ctrl 1
	zio-unload zio-zero && zio-load zio-zero
	check "short controls, seeking" node-bad sizes $node-2-0
	zio-unload zio-zero && zio-load zio-zero
	check "a faulting read of data loses nothing" \
		node-bad data-fault $node-2-0
	zio-unload zio-zero && zio-load zio-zero
	check "a faulting read of a control loses nothing" \
		node-bad ctrl-fault $node-2-0
	check "bad controls for an output" node-bad controls $node-1-0
	is "two good ones were sent" \
		"$(cat $zzero/cset1/chan0/statistics/blocks)" 2
	check "a faulting write" node-bad write-fault $node-1-0 \
		$zzero/cset1/chan0/statistics/bytes
	check "a control longer than the block in hand" \
		node-bad grow $node-1-0 $zzero/cset1/trigger/nsamples
}

test_completeness
test_numbers
test_limits
test_names
test_memory
test_nodes
test_out_of_memory
done_testing
