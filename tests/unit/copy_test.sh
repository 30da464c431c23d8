#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# zio-copy, and other programs with block files, without a device.
set -eu

# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/shell-tap.sh"
begin_tests "$@"
copy=$bin/zio-copy
dump=$bin/zio-dump
export ZIO_DEV_PATH=$work
one=528

make_blocks()
{
	local seq

	for seq in 0 1 2 3 4; do
		"$bin/fake-node" "$work/five-0000-0-1" "$seq" 16 1
		tail -c 512 five-0000-0-1-ctrl
		tail -c 16 five-0000-0-1-data
	done >five.zio
}

# The file holds the controls and data of the two nodes by turns.
test_file()
{
	run 0 'channel to file' "$copy" if=five-0-1 of=new.zio
	same new.zio five.zio 'control and data by turns'
	has err '^.*zio-copy: 5 blocks, 80 bytes, [0-9]+\.[0-9]{6} s, [0-9.]+ [kM]B/s$' \
		'what it says'
	lacks err 'lost|mode' 'and no more'
	run 0 'file to file' "$copy" if=new.zio of=second.zio
	same second.zio five.zio 'file to file: the same'
	run 0 'three blocks' "$copy" if=five.zio of=three.zio count=3
	equal "$(wc -c <three.zio)" $((3 * one)) 'three blocks: their size'
	run 0 'append' "$copy" if=five.zio of=three.zio append=1
	has err ' 5 blocks' 'append: how many'
	equal "$(wc -c <three.zio)" $((8 * one)) 'append: size'
	run 0 'a file is emptied otherwise' "$copy" if=five.zio of=three.zio
	same three.zio five.zio 'emptied and written'
	: >empty.zio
	run 0 'an empty file' "$copy" if=empty.zio of=three.zio
	has err ' 0 blocks, 0 bytes' 'an empty file: nothing'
}

# A copy of a file to itself would empty it, or would never end.
test_source_is_target()
{
	local append

	cp five.zio self.zio
	ln self.zio same.zio
	for append in 0 1; do
		run 3 "to itself, append=$append" "$copy" append=$append self.zio self.zio
		has err 'self.zio: this file is also the source' 'to itself: a reason'
		run 3 'to another name of it' "$copy" append=$append if=self.zio of=a.zio of=same.zio
		run 3 'to itself by standard output' timeout 10 bash -c \
			"'$copy' append=$append self.zio >>self.zio"
		has err '^.*-: this file is also the source' 'to standard output: a reason'
		run 3 'from standard input' bash -c "'$copy' append=$append of=self.zio <same.zio"
		same self.zio five.zio "to itself, append=$append: the file is as before"
	done
	run 0 'to the device of the source' "$copy" /dev/null /dev/null
}

test_pipe()
{
	local mode

	for mode in rw auto; do
		run 0 "pipe, $mode" bash -c "set -o pipefail; cat five.zio |
			'$copy' mode=$mode | cat >piped.zio"
		same piped.zio five.zio "pipe, $mode: the same"
		run 0 "file, $mode" "$copy" mode=$mode if=five.zio of=copied.zio
		same copied.zio five.zio "file, $mode: the same"
	done
	run 0 'to a pipe, what is best' bash -c \
		"'$copy' if=five-0-1 verbose=1 | cat >piped.zio"
	has err 'mode rw: input by read, output by file' 'it is written to'
	same piped.zio five.zio 'to a pipe: the same'
}

test_many()
{
	run 0 'one to three' "$copy" if=five.zio of=a.zio of=b.zio of=-
	mv out c.zio
	for file in a b c; do
		same $file.zio five.zio "one to three: $file"
	done
	has err ' 5 blocks, 80 bytes' 'blocks are counted once'
}

test_readers()
{
	run 0 'zio-dump' "$dump" -j five.zio
	equal "$("$bin/json-get" channel seq <out | tail -n 1)" \
		'"zzero-0000-0-1" 4' 'zio-dump shows the channel'
	run 0 'zio-dump of a pipe' bash -c "cat five.zio | '$dump' -c -j -"
	equal "$(wc -l <out)" 5 'zio-dump of a pipe: all blocks'
	run 0 'zio-dump of several' "$dump" -j five.zio five-0-1
	equal "$(wc -l <out)" 10 'zio-dump: a file beside a channel'
	run 0 'zio-dump, controls only' "$dump" -c five.zio
	equal "$(grep -c block out)" 5 'zio-dump, controls only: data are skipped'
	run 0 'zio-cat-file' "$bin/zio-cat-file" -v five.zio
	same out five-0000-0-1-data 'zio-cat-file: samples'
	has err 'method file' 'zio-cat-file: method'
	run 3 'zio-cat-file: no ring' "$bin/zio-cat-file" -m ring five.zio
}

# many.zio has 2000 blocks of 16 bytes; mixed.zio has some of 13, 40000 and 300000 among them.
make_many()
{
	local i

	for ((i = 0; i < 400; i++)); do
		cat five.zio
	done >many.zio
	for i in 13 40000 300000; do
		put "$work/sizes-0-1" 0 "$i" 1
		cat sizes-0-1-ctrl sizes-0-1-data >"size$i"
		rm sizes-0-1-*
	done
	head -c $((100 * one)) many.zio >hundred.zio
	cat hundred.zio size300000 hundred.zio size13 size13 hundred.zio size40000 size13 \
		hundred.zio >mixed.zio
}

# Many blocks go to a file at once, and all is as if they went one by one.
test_many_blocks()
{
	local n

	run 0 'many blocks' "$copy" if=many.zio of=a.zio
	has err ' 2000 blocks, 32000 bytes' 'many blocks: totals'
	same a.zio many.zio 'many blocks: the same'
	run 0 'blocks of all sizes' "$copy" if=mixed.zio of=a.zio of=b.zio
	has err ' 405 blocks, 346439 bytes' 'blocks of all sizes: totals'
	same a.zio mixed.zio 'blocks of all sizes: the same'
	same b.zio mixed.zio 'blocks of all sizes: the same in both targets'
	for n in 1 511 700; do
		run 0 "$n of many" "$copy" if=many.zio of=a.zio count=$n
		has err " $n blocks, $((16 * n)) bytes" "$n of many: totals"
		equal "$(wc -c <a.zio)" $((n * one)) "$n of many: no more"
	done
	run 0 'append many' "$copy" if=many.zio of=a.zio append=1
	cat <(head -c $((700 * one)) many.zio) many.zio >wanted
	same a.zio wanted 'append many: behind those that are there'
	run 0 'many in two programs' bash -c \
		"{ '$copy' count=7 of=a.zio && '$copy' of=b.zio; } <many.zio"
	cat a.zio b.zio >joined
	same joined many.zio 'many in two programs: they share standard input'
	run 0 'standard input of one that fails' bash -c \
		"{ '$copy' of=/dev/full || '$copy' of=b.zio; } <many.zio"
	has err ' 1999 blocks' 'standard input of one that fails: it has taken no further block'
	head -c $((1000 * one + 520)) many.zio >cut.zio
	run 1 'many, and a cut one' "$copy" if=cut.zio of=a.zio
	has err '8 of the 16 bytes of a block .whole blocks before it: 1000.' \
		'many, and a cut one: the reason'
	has err ' 1000 blocks' 'many, and a cut one: totals'
	equal "$(wc -c <a.zio)" $((1000 * one)) 'many, and a cut one: the whole blocks'
}

# 100 units of 1024 bytes: room for 193 whole blocks, and a part of another one
test_many_full()
{
	run 1 'many, and the disk is full' bash -c \
		"trap '' XFSZ; ulimit -f 100; '$copy' if=many.zio of=a.zio of=b.zio"
	has err 'a.zio: .*File too large' 'disk full: the reason'
	has err ' 193 blocks, 3088 bytes' 'disk full: totals'
	run 0 'disk full: what is whole is there' cmp -n $((193 * one)) a.zio many.zio
	run 0 'disk full: the other target has the same blocks' cmp -n $((193 * one)) b.zio \
		many.zio
	equal "$(wc -c <b.zio)" $((193 * one)) 'disk full: the other target has no part'
	run 1 'many, and one target is full' "$copy" if=many.zio of=a.zio of=/dev/full
	has err '/dev/full: .*No space left' 'one target is full: the reason'
	has err ' 0 blocks' 'one target is full: what all targets have'
}

# is_asleep: as a writer to a pipe that is full. A signal that has come has been handled.
is_asleep()
{
	awk '/^State:/ && $2 != "S" || /^ShdPnd:/ && $2 !~ /^0*$/ { exit 1 }' \
		"/proc/$child/status"
}

# The pipe takes 64 KiB more than is read. Ctrl-C then ends the copy with the block that the
# pipe has in part.
test_many_signal()
{
	local status=0 blocks

	mkfifo slow-pipe
	"$copy" if=many.zio of=slow-pipe 2>err &
	child=$!
	{
		head -c 100000
		wait_for is_asleep
		kill -INT $child
		wait_for is_asleep
		cat
	} <slow-pipe >piped.zio
	wait $child || status=$?
	child=
	equal $status 130 'Ctrl-C among many'
	blocks=$(sed -n 's/.* \([0-9]*\) blocks, .*/\1/p' err)
	equal "$(wc -c <piped.zio)" $((blocks * one)) 'Ctrl-C among many: whole blocks, as told'
	run 0 'Ctrl-C among many: no further ones' test "$blocks" -le \
		$(((100000 + 65536) / one + 1))
}

# The pipe has taken a part of the blocks that were written to it.
test_many_broken_pipe()
{
	mkfifo short-pipe
	head -c 100000 <short-pipe >part.zio &
	child=$!
	run 141 'EPIPE among many' "$copy" if=many.zio of=short-pipe
	wait $child
	child=
	run 0 'EPIPE among many: no more blocks than the pipe took' test \
		"$(sed -n 's/.* \([0-9]*\) blocks, .*/\1/p' err)" -le \
		$(((100000 + 65536) / one))
	lacks err 'write|pipe:' 'EPIPE among many: no message'
}

# A loss is reported, also if it is in the file.
test_loss()
{
	head -c $one five.zio >gap.zio
	tail -c $one five.zio >>gap.zio
	run 0 'taken' "$copy" if=gap.zio of=a.zio
	has err 'gap.zio: 3 blocks taken by another reader$' 'taken: reported'
	run 0 'taken, JSON' "$copy" -j if=gap.zio of=a.zio
	equal "$("$bin/json-get" lost taken <out)" '0 3' 'taken: reported in JSON'
	printf '\1' | dd of=gap.zio bs=1 seek=$((one + 2)) conv=notrunc status=none
	run 0 'gap' "$copy" if=gap.zio of=a.zio
	has err 'gap.zio: 3 blocks lost in 1 gap$' 'gap: reported'
	run 0 'gap, JSON' "$copy" -j if=gap.zio of=a.zio
	equal "$("$bin/json-get" lost <out)" 3 'gap: reported in JSON'
}

# A device that counts anew loses nothing. "uring" is a name of "rw".
test_restart()
{
	local mode seq

	for seq in 3000000000 5; do
		"$bin/fake-node" "$work/anew-0000-0-1" "$seq" 65536 1
	done
	"$bin/fake-node" "$work/anew-0000-0-1" 8 65536 1 1
	for mode in rw uring; do
		run 0 "counted anew, $mode" "$copy" if=anew-0-1 of=a.zio mode=$mode
		has err 'anew-0-1: 2 blocks lost in 1 gap, 1 outage$' "counted anew, $mode: the loss behind it"
	done
}

# patch OFFSET BYTES: change bytes of the second block
patch()
{
	cp five.zio bad.zio
	printf '%b' "$2" | dd of=bad.zio bs=1 seek=$((one + $1)) conv=notrunc \
		2>/dev/null
}

# is_refused WHAT REASON: the first block is copied, the second is not
is_refused()
{
	run 1 "$1" "$copy" if=bad.zio of=a.zio
	has err "$2" "$1: with a reason"
	has err ' 1 blocks, 16 bytes' "$1: one block"
}

test_hostile()
{
	patch 8 '\xff\xff\xff\xff'
	run 1 'huge nsamples' "$copy" if=bad.zio of=a.zio
	has err 'over the limit' 'huge nsamples: with a reason'
	patch 12 '\x00\x00'
	is_refused 'ssize 0' 'size of a sample is 0'
	patch 0 '\x07'
	is_refused 'another version' 'version 7'
	patch 80 '\x00\x00\x00\x00'
	is_refused 'no mark' 'no block begins at byte 528'
	head -c $((one + 500)) five.zio >bad.zio
	is_refused 'torn control' '500 of the 512 bytes of a control'
	run 1 'torn data, rw' bash -c "head -c $((one + 520)) five.zio |
		'$copy' of=a.zio"
	has err '8 of the 16 bytes of a block' 'torn data: with a reason'
	run 3 'append to torn data' "$copy" if=five.zio of=bad.zio append=1
	has err 'truncate -s 528' 'append to torn data: with a reason'
	run 1 'no block file at all' "$copy" "if=$copy" of=a.zio
	has err 'no block begins at byte 0' 'no block file: with a reason'
	run 1 'disk full' "$copy" if=five.zio of=/dev/full
	has err 'No space left' 'disk full: with a reason'
	has err ' 0 blocks' 'disk full: nothing was written'
}

test_operands()
{
	local word

	for word in if= of= count= count=x count=-1 verbose=x append=2 mode= \
		mode=fast bs=1 count=99999999999999999999; do
		run 2 "operand '$word'" "$copy" "$word"
		has err "^.*zio-copy: .*${word%%=*}" "operand '$word': with a reason"
	done
	run 0 'words without a name' "$copy" -n 3 five.zio words.zio
	run 0 'they are source and target' "$bin/zio" copy --append five.zio words.zio
	has err '^zio: 5 blocks' 'zio copy: what it says'
	equal "$(wc -c <words.zio)" $((8 * one)) 'options: --count and --append'
	run 2 'a second target' "$copy" five.zio words.zio new-words.zio
	has err 'give further targets as of=new-words.zio' 'a second target: it is named'
	equal "$(wc -c <words.zio)" $((8 * one)) 'a second target: the first is as it was'
	run 2 'unknown option' "$copy" --nothing
	run 0 '--help' "$copy" --help
	has out '^Usage:' '--help: text'
	for word in share mmap-in rw; do
		has out "^  $word " "--help: mode $word"
	done
	for word in --version --vers --ver --ve --v; do
		run 0 "$word" "$copy" $word
		has out '^zio-copy [0-9]' "$word: text"
	done
	run 0 '--verb' "$copy" --verb five.zio a.zio
	has err 'mode rw' '--verb is --verbose'
	run 0 'count=0 is no end' "$copy" if=five.zio of=a.zio count=0
	has err ' 5 blocks' 'count=0: all blocks'
	run 3 'no such input' "$copy" if=nothing-0-1 of=a.zio
	has err 'no such channel' 'no such input: with a reason'
	run 3 'no directory' "$copy" if=five.zio of=none/a.zio
	has err 'none/a.zio: open for writing: .*its directory does not exist' \
		'no directory, with a reason'
	lacks err module 'no directory: no driver is missing'
	run 3 'no such output' "$copy" if=five.zio of=nothing-0-1
	equal "$(find . -name 'nothing*')" '' 'nothing of that name is made'
}

test_modes()
{
	local mode

	for mode in share mmap-in; do
		run 3 "files: mode $mode" "$copy" if=five.zio of=a.zio mode=$mode
		has err "mode $mode: .*is a file, not a channel" \
			"files: mode $mode: with a reason"
	done
	for mode in splice mmap-out mmap; do
		run 2 "mode $mode, which there was" "$copy" if=five.zio of=a.zio mode=$mode
		has err "mode=$mode is gone: use mode=mmap-in or mode=rw" "mode $mode: a remedy"
	done
	run 0 'verbose' "$copy" if=five-0-1 of=a.zio verbose=1
	has err 'mode mmap-in: .*method' 'verbose: what was refused, and why'
	has err 'mode rw: input by read, output by file' 'verbose: what was taken'
}

test_json()
{
	run 0 'JSON' "$copy" -j if=five.zio of=a.zio
	equal "$("$bin/json-get" mode out blocks bytes lost <out)" \
		'"rw" "file" 5 80 0' 'JSON: fields'
	lacks out sharing 'JSON: nothing was shared'
	equal "$(wc -c <err)" 0 'JSON: and no text'
	run 0 'JSON beside data' "$copy" -j if=five.zio
	same out five.zio 'JSON beside data: on standard error'
	equal "$("$bin/json-get" blocks <err)" 5 'JSON beside data: fields'
}

# The rest of the pending block comes too late: the program writes no part of the block.
test_signal()
{
	local status=0

	mkfifo fifo
	: >live.zio
	exec 9<>fifo
	"$copy" if=fifo of=live.zio 2>err 9>&- &
	child=$!
	head -c $((one + 520)) five.zio >&9
	wait_for has_bytes live.zio $one
	kill -INT $child
	wait $child || status=$?
	child=
	equal $status 130 'Ctrl-C'
	has err ' 1 blocks, 16 bytes' 'Ctrl-C: totals'
	equal "$(wc -c <live.zio)" $one 'Ctrl-C: whole blocks'
	exec 9>&-
}

test_broken_pipe()
{
	mkfifo go
	{
		read -r _ <go
		exec "$copy" if=five.zio
	} 2>err | {
		exec <&-
		echo >go
	}
	equal "${PIPESTATUS[0]}" 141 'EPIPE'
	has err ' 0 blocks, 0 bytes' 'EPIPE: totals'
}

# No rate is 0.0: a slow one has another unit.
test_slow()
{
	{
		head -c 528 five.zio
		sleep 0.1
		tail -c +529 five.zio | head -c 528
	} >slow &
	child=$!
	run 0 'slow' "$copy" if=slow of=a.zio
	wait $child || true
	child=
	# The bytes, the seconds, and the rate in kB/s, with one digit after the point
	run 0 'slow: kB/s' awk '/ kB\/s$/ { exit !(($(NF-1) - $(NF-5) / $(NF-3) / 1000) ^ 2 < 0.06 ^ 2) }
		{ exit 1 }' err
}

test_terminal()
{
	needs_terminal 'a terminal' || return 0
	run 2 'no blocks to a terminal' script -qec "'$copy' if=five.zio" /dev/null
	has out 'standard output is a terminal' 'no blocks to a terminal, with a reason'
	run 0 'blocks to a terminal, by force' script -qec \
		"'$copy' --force if=five.zio 2>/dev/null" /dev/null
	run 0 'other targets than the terminal' script -qec \
		"'$copy' if=five.zio of=a.zio" /dev/null
	run 2 'no samples to a terminal' script -qec "'$bin/zio-cat-file' five.zio" \
		/dev/null
	has out 'standard output is a terminal' 'no samples, with a reason'
	run 0 'samples to a terminal, by force' script -qec \
		"'$bin/zio-cat-file' -f five.zio 2>/dev/null" /dev/null
}

# On a terminal the program writes the line again each second.
test_progress()
{
	needs_terminal 'progress' || return 0
	{
		cat five.zio
		sleep 1.1 # longer than the interval between two lines
		cat five.zio
	} >slow &
	child=$!
	script -qec "'$copy' if=slow of=a.zio" /dev/null >out </dev/null
	wait $child || true
	child=
	# On a busy machine it takes longer, and prints more lines.
	run 0 'progress: a line after a second, and the totals' test \
		"$(tr '\r' '\n' <out | grep -c ' blocks, .* [kM]B/s')" -ge 2
}

make_blocks
make_many
mkfifo slow
test_file
test_source_is_target
test_pipe
test_many
test_readers
test_many_blocks
test_many_full
test_many_signal
test_many_broken_pipe
test_loss
test_restart
test_hostile
test_operands
test_modes
test_json
test_signal
test_broken_pipe
test_slow
test_terminal
test_progress
done_testing
