#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# zio-cat-file and zio-dump with files and FIFOs that stand for nodes.
set -eu

# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/shell-tap.sh"
begin_tests "$@"
cat_file=$bin/zio-cat-file
dump=$bin/zio-dump
export ZIO_DEV_PATH=$work

end_child() {
	local status=0

	kill "-$1" "$child"
	wait "$child" || status=$?
	child=
	equal "$status" "$2" "$3"
}

make_blocks() {
	local seq

	for seq in 0 1 2 3 4; do
		put "$work/five-0000-0-1" "$seq" 16 1
	done
}

test_cat_file() {
	run 0 'cat-file: copy 3 blocks' "$cat_file" five-0-1 3
	head -c 48 five-0000-0-1-data >wanted
	same out wanted 'cat-file: their data'
	has err 'zio-cat-file: 3 blocks, 48 bytes, [0-9]+\.[0-9]{6} s, [0-9.]+ [kM]B/s$' \
		'cat-file: what it says'
	lacks err lost 'cat-file: nothing lost'
	run 0 'cat-file: 0 is until the end' "$cat_file" "$work/five-0000-0-1-data" 0
	same out five-0000-0-1-data 'cat-file: all data'
	run 0 'cat-file: no number is until the end' "$cat_file" five-0000-0-1
	has err 'zio-cat-file: 5 blocks, 80 bytes' 'cat-file: five blocks'
}

# All programs take the same words for help, and for what is wrong.
test_alike() {
	local program word

	for program in zio zio-cat-file zio-copy zio-dump; do
		run 0 "$program: --help" "$bin/$program" --help
		cp out wanted
		for word in -h help; do
			run 0 "$program: $word" "$bin/$program" "$word"
			same out wanted "$program: $word: as --help"
		done
		for word in --help --usage --version; do
			run 1 "$program: $word: disk full" bash -c \
				"'$bin/$program' $word >/dev/full"
			has err 'standard output: No space left' "$program: $word: a reason"
		done
		run 2 "$program: a closed standard output is no failure" bash -c \
			"'$bin/$program' --nothing >&-"
		run 2 "$program: unknown option" "$bin/$program" --nothing
	done
	run 1 'zio: help of a command: disk full' bash -c "'$bin/zio' help list >/dev/full"
	run 3 'cat-file: open' "$cat_file" nothing-0-1
	run 3 'dump: open' "$dump" nothing-0-1
	run 3 'copy: open' "$bin/zio-copy" if=nothing-0-1 of=/dev/null
	run 3 'plot: open' "$bin/zio" plot --script nothing-0-1
	for program in zio-cat-file zio-dump; do
		run 3 "$program: a name with commands of the terminal" "$bin/$program" \
			$'./no\e]0;x\a\xc2\x9b\x9b\n\xc3\xa9'
		has err '\./no\\x1b\]0;x\\x07\\xc2\\x9b\\x9b\\x0aé' "$program: is shown, not obeyed"
		lacks err $'[\e\a]' "$program: nothing of it is left"
	done
}

# A file that the program opens must not take the place of a stream that is closed.
test_closed_streams() {
	local program

	cat five-0000-0-1-ctrl five-0000-0-1-data | head -c 528 >one.zio
	for program in "$dump" "$cat_file" "$bin/zio-copy"; do
		run 1 "${program##*/}: a closed standard input" timeout 10 bash -c \
			"'$program' - <&-"
		has err 'standard input: read control: Bad file descriptor' \
			"${program##*/}: standard input, with a reason"
		run 1 "${program##*/}: a closed standard output" timeout 10 bash -c \
			"'$program' one.zio >&-"
		has err 'standard output: .*Bad file descriptor' \
			"${program##*/}: standard output, with a reason"
	done
	run 0 'copy: no stream at all' bash -c \
		"'$bin/zio-copy' one.zio copy.zio <&- >&- 2>&-"
	same copy.zio one.zio 'copy: no stream at all: the file'
}

# refuses COMMAND...: exit status 2, and no character that a terminal obeys
refuses() {
	run 2 "${1##*/}: a wrong option with commands of the terminal" "$@"
	has err '(\\x1b|\?)\[31m' "${1##*/}: is shown"
	lacks err $'\e' "${1##*/}: nothing of it is left"
}

test_terminal() {
	refuses "$dump" --rate $'\e[31m' -f csv five-0-1
	refuses "$dump" -f $'\e[31m' five-0-1
	refuses "$dump" $'--no\e[31m' five-0-1
	refuses "$cat_file" five-0-1 $'\e[31m'
	refuses "$bin/zio-copy" $'mode=\e[31m'
	refuses "$bin/zio" $'\e[31m'
	refuses "$bin/zio" help $'\e[31m'
	refuses "$bin/zio" plot -o $'x\e[31m' five-0-1
	refuses "$bin/zio" top --interval=$'\e[31m'
	refuses "$bin/zio" create $'\e[31m' x y
}

# Text of another direction could show the name of another file.
test_hidden_characters() {
	local text
	for text in '\xe2\x80\xae' '\xe2\x81\xa6' '\xd8\x9c' '\xc2\xad' '\xe2\x80\x8b' \
		'\xe2\x80\xa8' '\xef\xbb\xbf' '\xe3\x80\x80' '\xee\x80\x80' \
		'\xf3\xa0\x80\x81' '\xed\xa0\x80' '\xe0\x80\x9b' '\xf4\x90\x80\x80'; do
		run 3 "dump: a name with $text" "$dump" "./no$(printf '%b' "$text")"
		has err "no${text//\\/\\\\}" "dump: $text is shown as its bytes"
	done
	run 3 'dump: a name with letters' "$dump" './no é温Ω😀'
	has err 'no é温Ω😀' 'dump: letters of any language stay'
}

test_cat_file_loss() {
	put "$work/gap-0-1" 1 16 1
	put "$work/gap-0-1" 5 16 1 1
	run 0 'cat-file: gap' "$cat_file" gap-0-1
	has err 'gap-0-1: 3 blocks lost in 1 gap$' 'cat-file: loss is reported'
	run 0 'cat-file: gap, JSON' "$cat_file" -j gap-0-1
	equal "$("$bin/json-get" blocks lost <err)" '2 3' 'cat-file: JSON: the loss'
}

test_cat_file_errors() {
	run 3 'cat-file: no such channel' "$cat_file" nothing-0-1 1
	has err 'no such channel.*module' 'cat-file: with a reason'
	mkdir -p sys/bus/zio/devices/zzero-0000/cset0/chan0
	echo zzero-0000-0-0 >sys/bus/zio/devices/zzero-0000/cset0/chan0/address
	run 3 'dump: no such channel' env ZIO_SYSFS="$work/sys" "$dump" nothing
	has err 'nothing: no such channel in .*; there are: zzero-0000-0-0$' \
		'dump: it lists the channels'
	run 3 'cat-file: no such node' env ZIO_SYSFS="$work/sys" "$cat_file" /dev/zio/nothing
	has err '/dev/zio/nothing: no such channel or file; there are: zzero-0000-0-0$' \
		'cat-file: no such node, and it lists the channels'
	run 3 'cat-file: no device' env ZIO_SYSFS="$work/none" "$cat_file" /dev/zio/nothing
	has err 'nothing: no such channel or file .is the driver' \
		'cat-file: no device, and it asks for the module'
	run 3 'cat-file: no such path' "$cat_file" "$work/none/x-0-1-data"
	has err 'no such channel or file \(its directory does not exist\)' \
		'cat-file: no such path, with a reason'
	run 2 'cat-file: no argument' "$cat_file"
	run 2 'cat-file: a tap has no method' "$cat_file" --tap --method=read five-0-1
	run 3 'cat-file: a file has no tap' "$cat_file" --tap five-0-1
	run 2 'cat-file: three arguments' "$cat_file" a 1 2
	run 2 'cat-file: unknown option' "$cat_file" --nothing
	for number in x -1 1x '' 99999999999999999999; do
		run 2 "cat-file: count '$number'" "$cat_file" five-0-1 -- "$number"
	done
	put "$work/torn-0-1" 1 16 1
	truncate -s 10 torn-0-1-data
	run 1 'cat-file: torn data' "$cat_file" torn-0-1
	has err '10 of the 16 bytes' 'cat-file: torn data, with a reason'
	has err 'zio-cat-file: 0 blocks' 'cat-file: torn data, statistics'
	run 1 'cat-file: disk full' bash -c "'$cat_file' five-0-1 >/dev/full"
	has err 'No space left' 'cat-file: disk full, with a reason'
	put "$work/large-0-1" 0 1000 1
	put "$work/large-0-1" 1 1000 1
	run 1 'cat-file: no file beyond 1 KiB' bash -c \
		"trap '' XFSZ; ulimit -f 1; '$cat_file' large-0-1 >large"
	has err ' 1024 bytes, ' 'cat-file: what was written is reported'
	run 0 'cat-file: --help' "$cat_file" --help
	has out '^Usage:' 'cat-file: help text'
	run 0 'cat-file: --version' "$cat_file" --version
	has out '^zio-cat-file [0-9]' 'cat-file: version text'
}

# The reader of the pipe ends before the program writes the first block.
test_cat_file_pipe() {
	mkfifo go
	{
		read -r _ <go
		exec "$cat_file" five-0-1
	} 2>err | {
		exec <&-
		echo >go
	}
	equal "${PIPESTATUS[0]}" 141 'cat-file: EPIPE'
	has err 'zio-cat-file: 0 blocks, 0 bytes' 'cat-file: EPIPE, statistics'
}

make_fifos() {
	mkfifo "$1-ctrl" "$1-data"
}

test_cat_file_signal() {
	: >out
	make_fifos sig-0-1
	exec 8<>sig-0-1-ctrl 9<>sig-0-1-data
	"$cat_file" sig-0-1 >out 2>err 8>&- 9>&- &
	child=$!
	put "$work/sig-0-1" 1 16 1
	wait_for has_bytes out 16
	end_child INT 130 'cat-file: SIGINT while waiting'
	has err 'zio-cat-file: 1 blocks, 16 bytes' 'cat-file: SIGINT, statistics'
	exec 8>&- 9>&-
}

test_dump_text() {
	run 0 'dump: text' "$dump" -n 2 five-0-1
	has out '^zzero-0000-0-1: block 0: 16 samples of 1 bytes \(8 bits\), trigger user' \
		'dump: first line'
	has out '^  time    1000000000\.000000042 ' 'dump: time'
	has out '^  data +0: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f$' \
		'dump: data in hex'
	lacks out gain 'dump: attributes not asked for'
	equal "$(grep -c block out)" 2 'dump: two blocks'
	run 0 'dump: attributes' "$dump" -n 1 -a five-0-1
	has out 'channel gain-factor=1500 ext3=0$' 'dump: attributes by name'
	has out 'trigger post-samples=16$' 'dump: trigger attributes'
	has out 'flags .*endian$' 'dump: flags'
}

test_dump_formats() {
	put "$work/word-0-1" 5 3 2
	run 0 'dump: words' "$dump" -d word-0-1
	equal "$(cat out)" "$(od -An -v -tx2 -w16 word-0-1-data |
		sed 's/^/  data         0:/')" 'dump: words as od has them'
	run 0 'dump: decimal' "$dump" -d -f dec word-0-1
	equal "$(tr -s ' ' <out)" "$(od -An -v -tu2 word-0-1-data |
		tr -s ' ' | sed 's/^/ data 0:/')" 'dump: decimal as od has it'
	put "$work/long-0-1" 8 2 8
	run 0 'dump: signed' "$dump" -d -f signed long-0-1
	equal "$(tr -s ' ' <out)" "$(od -An -v -td8 long-0-1-data |
		tr -s ' ' | sed 's/^/ data 0:/')" 'dump: signed as od has it'
	put "$work/odd-0-1" 1 2 3
	run 0 'dump: samples of 3 bytes' "$dump" -d odd-0-1
	has out ': 1f2021 222324$' 'dump: samples of 3 bytes'
	put "$work/wide-0-1" 0 2 20
	run 0 'dump: samples of 20 bytes' "$dump" -d wide-0-1
	equal "$(wc -l <out)" 2 'dump: one wide sample per line'
}

test_dump_json() {
	run 0 'dump: JSON' "$dump" -j -a -n 2 five-0-1
	"$bin/json-get" channel seq nsamples ssize secs alarms trigger lost \
		<out >values
	echo '"zzero-0000-0-1" 1 16 1 1000000001 [] "user" 0' >wanted
	tail -n 1 values >last
	same last wanted 'dump: JSON fields'
	equal "$("$bin/json-get" channel_attributes trigger_attributes data \
		<out | tail -n 1)" \
		'{"gain-factor":1500,"ext3":1} {"post-samples":16} [31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46]' \
		'dump: JSON attributes and data'
	run 0 'dump: JSON, data only' "$dump" -j -d -n 1 five-0-1
	equal "$("$bin/json-get" seq trigger <out)" '0 (none)' \
		'dump: JSON, data only'
	run 0 'dump: JSON, odd samples' "$dump" -j odd-0-1
	equal "$("$bin/json-get" data <out)" '["1f2021","222324"]' \
		'dump: JSON, odd samples'
	run 0 'dump: JSON, long samples' "$dump" -j -d long-0-1
	equal "$("$bin/json-get" data <out | tr -d '[]",' | wc -c)" 39 \
		'dump: JSON, long samples'
}

# Names come from the kernel for nodes, and for block files only from a file.
test_dump_names() {
	local at=sysfs/bus/zio/devices/zzero-0000/cset0
	mkdir -p $at/chan1 $at/trigger
	echo user >$at/trigger/name
	printf 'ext 31 clock\n' >$at/trigger/control-attrs
	printf 'std 1 gain-factor\next 3 threshold signed\n' >$at/chan1/control-attrs
	head -c 512 five-0000-0-1-ctrl >$at/chan1/current-control
	export ZIO_SYSFS=$work/sysfs
	run 0 'dump: names of a channel' "$dump" -a -c -n 1 five-0-1
	has out 'channel gain-factor=1500 threshold=0$' 'dump: names from the kernel'
	run 0 'dump: JSON names' "$dump" -a -c -j -n 1 five-0-1
	has out '"channel_attributes":\{"gain-factor":1500,"threshold":0\}' \
		'dump: JSON names from the kernel'
	run 0 'dump: --print-names' "$dump" --print-names zzero
	printf 'zzero-0000-0-1 %s\n' 'channel std 1 gain-factor' \
		'channel ext 3 threshold signed' 'trigger:user ext 31 clock' >wanted
	same out wanted 'dump: names of a device'
	cp out names
	run 0 'dump: --print-names of a channel' "$dump" --print-names zzero-0-1
	same out wanted 'dump: names of a channel, printed'
	cat <(head -c 512 five-0000-0-1-ctrl) <(head -c 16 five-0000-0-1-data) >five.zio
	run 0 'dump: a block file' "$dump" -a -c five.zio
	has out 'ext3=0$' 'dump: the devices here say nothing about a block file'
	unset ZIO_SYSFS
	run 0 'dump: --names' "$dump" -a -c --names names five.zio
	has out 'threshold=0$' 'dump: names from a file'
	echo '# none' >none
	run 1 'dump: --names without the channel' "$dump" -a -c --names=none five.zio
	has err 'none has no names of zzero-0000-0-1' 'dump: a file without the channel'
	has out 'ext3=0$' 'dump: but the block is printed'
	run 1 'dump: --names of a wrong file' "$dump" -a -c --names five-0000-0-1-data five.zio
	has err 'five-0000-0-1-data:1: not a line' 'dump: a file of something else'
	run 3 'dump: --print-names of nothing' "$dump" --print-names nothing
	has err 'nothing: ' 'dump: names of nothing, with a reason'
}

# Values of each block have a line of their own, and an object in JSON, also without -a.
test_dump_values() {
	local at=sysfs/bus/zio/devices/zzero-0000/cset0
	mkdir -p $at/chan1 $at/trigger
	echo user >$at/trigger/name
	: >$at/trigger/control-attrs
	printf 'ext 3 late-ns signed block\n' >$at/chan1/control-attrs
	head -c 512 five-0000-0-1-ctrl >$at/chan1/current-control
	export ZIO_SYSFS=$work/sysfs
	run 0 'dump: values' "$dump" -c -n 2 five-0-1
	has out '^  values  late-ns=1$' 'dump: the value of the second block'
	run 0 'dump: values and attributes' "$dump" -a -c -n 1 five-0-1
	has out '^  channel gain-factor=1500$' 'dump: the values are no attributes'
	run 0 'dump: JSON values' "$dump" -j -n 1 five-0-1
	has out '"values": *\{"late-ns": *0\}' 'dump: JSON values by name'
	run 0 'dump: --print-names of values' "$dump" --print-names zzero-0-1
	has out '^zzero-0000-0-1 channel ext 3 late-ns signed block$' 'dump: they are marked'
	cp out names
	run 0 'dump: data only' "$dump" -j -d -n 1 five-0-1
	lacks out values 'dump: data only, no values'
	cat <(head -c 512 five-0000-0-1-ctrl) <(head -c 16 five-0000-0-1-data) >five.zio
	unset ZIO_SYSFS
	run 0 'dump: --names with values' "$dump" -c --names names five.zio
	has out '^  values  late-ns=0$' 'dump: values of a file, by a file of names'
}

test_dump_alarms() {
	put "$work/alarm-0-1" 1 16 1
	put "$work/alarm-0-1" 4 16 1 0x83
	run 4 'dump: alarms' "$dump" alarm-0-1
	has out 'alarms  lost-block,lost-trigger,bit7; driver 0x00; lost before this block: 2' \
		'dump: alarms by name'
	has err 'alarm-0-1: 2 blocks, 32 bytes: 2 blocks lost in 1 gap, at least 1 event missed$' 'dump: loss is reported'
	run 4 'dump: JSON alarms' "$dump" -j alarm-0-1
	equal "$("$bin/json-get" alarms lost <out | tail -n 1)" \
		'["lost-block","lost-trigger","bit7"] 2' 'dump: JSON alarms'
}

# The payload is a number of 64 bits.
test_dump_tlv() {
	run 0 'dump: no TLV' "$dump" -a five-0-1
	lacks out tlv 'dump: none is shown'
	put "$work/tlv-0-1" 1 16 1 0 1 0x8000000000000005
	put "$work/tlv-0-1" 2 16 1 0 2 0xe0f00000b0f00000
	put "$work/tlv-0-1" 3 16 1 0 9 0x123
	put "$work/shots-0-1" 1 16 1 0 4 2
	run 0 'dump: shots' "$dump" -c shots-0-1
	has out '^  shots   2: 0 +' 'dump: the times of shots'
	run 0 'dump: JSON shots' "$dump" -j -c shots-0-1
	has out '"shots_ns": *\[0, *[0-9]*\]' 'dump: JSON times of shots'
	run 0 'dump: TLVs' "$dump" -c tlv-0-1
	grep tlv out >values
	printf '  tlv     %s\n' channel_mask=0x8000000000000005 \
		block_info=0xe0f00000b0f00000 tlv9=0x123 >wanted
	same values wanted 'dump: TLVs by name'
	run 0 'dump: JSON TLVs' "$dump" -j -c tlv-0-1
	"$bin/json-get" channel_mask block_info tlv9 <out >values
	printf '%s\n' '"0x8000000000000005" (none) (none)' \
		'(none) "0xe0f00000b0f00000" (none)' \
		'(none) (none) "0x123"' >wanted
	same values wanted 'dump: JSON TLVs'
	run 0 'dump: data only' "$dump" -j -d tlv-0-1
	lacks out 0x 'dump: data only, no TLV'
}

test_dump_control_only() {
	cp five-0000-0-1-ctrl lone-ctrl
	run 0 'dump: lone node of controls' "$dump" -c "$work/lone-ctrl"
	equal "$(grep -c block out)" 5 'dump: all its controls'
	lacks out data 'dump: and no data'
}

test_dump_many() {
	run 0 'dump: two channels' "$dump" -j five-0-1 word-0-1
	equal "$("$bin/json-get" seq <out | sort -n | tr '\n' ' ')" \
		'0 1 2 3 4 5 ' 'dump: blocks of both'
	run 1 'dump: one of two is torn' "$dump" -j torn-0-1 five-0-1
	equal "$(wc -l <out)" 5 'dump: the other one goes on'
	has err '10 of the 16 bytes' 'dump: torn data, with a reason'
}

test_dump_errors() {
	run 3 'dump: one of two is not there' "$dump" five-0-1 nothing-0-1
	has err 'nothing-0-1: no such channel' 'dump: with a reason'
	run 2 'dump: no channel' "$dump"
	run 2 'dump: neither control nor data' "$dump" -c -d five-0-1
	run 2 'dump: format' "$dump" -f octal five-0-1
	has err 'octal: not a format' 'dump: format, with a reason'
	run 2 'dump: count' "$dump" -n -5 five-0-1
	run 1 'dump: disk full' bash -c "'$dump' five-0-1 >/dev/full"
	has err 'No space left' 'dump: disk full, with a reason'
	put "$work/big-0-1" 1 100 1
	put "$work/big-0-1" 2 0 1
	run 1 'dump: block over the limit' "$dump" -m 99 big-0-1
	has err 'over the limit of 99 bytes' 'dump: limit, with a reason'
	has out 'block 2' 'dump: the block after it'
	run 0 'dump: --help' "$dump" --help
	has out '^Usage:' 'dump: help text'
	run 0 'dump: --version' "$dump" --version
	has out '^zio-dump [0-9]' 'dump: version text'
}

has_line() {
	grep -q "$2" "$1"
}

# dump_live SECOND SAID: two blocks of a channel are printed as they come, then Ctrl-C.
# Another channel is silent.
dump_live() {
	: >out
	make_fifos live-0-1
	make_fifos mute-0-1
	exec 5<>mute-0-1-ctrl 6<>mute-0-1-data 8<>live-0-1-ctrl 9<>live-0-1-data
	"$dump" -j mute-0-1 live-0-1 >out 2>err 5>&- 6>&- 8>&- 9>&- &
	child=$!
	put "$work/live-0-1" 1 16 1
	wait_for has_line out '"seq":1,'
	put "$work/live-0-1" "$1" 16 1 "$(($1 != 2))"
	wait_for has_line out "\"seq\":$1,"
	end_child INT 130 "dump: SIGINT while waiting, $2"
	equal "$(cat err)" "$dump: mute-0-1: 0 blocks, 0 bytes: nothing lost
$dump: live-0-1: 2 blocks, 32 bytes: $2" "dump: what it has read, $2"
	exec 5>&- 6>&- 8>&- 9>&-
	rm mute-0-1-*
}

test_dump_live() {
	dump_live 2 'nothing lost'
	rm live-0-1-*
	dump_live 5 '3 blocks lost in 1 gap'
}

# A channel is open, and has no block: the program says so once, and reads on.
test_silence() {
	local program status

	make_fifos still-0-1
	exec 8<>still-0-1-ctrl 9<>still-0-1-data
	for program in "$cat_file" "$dump"; do
		: >err
		timeout 60 "$program" -n 1 still-0-1 >out 2>err 8>&- 9>&- &
		child=$!
		verdict "${program##*/}: no block" 'it does not say so' wait_for grep -q \
			'still-0-1: no new block for 5 s (does its trigger fire?)$' err
		put "$work/still-0-1" 1 16 1
		status=0
		wait "$child" || status=$?
		equal "$status" 0 "${program##*/}: it goes on"
		equal "$(grep -c 'no new block' err)" 1 "${program##*/}: it says so once"
	done
	exec 8>&- 9>&-
	child=
}

# Files have no ring. The program prints the method with --verbose.
test_methods() {
	run 0 'cat-file: --verbose' "$cat_file" --verbose five-0-1 2
	has err '^.*zio-cat-file: method read$' 'cat-file: the method is reported'
	run 0 'cat-file: --method=read' "$cat_file" --method=read five-0-1 2
	lacks err method 'cat-file: silent without --verbose'
	run 3 'cat-file: --method ring' "$cat_file" --method ring "$work/live-0-1"
	has err 'method ring: .*' 'cat-file: no ring, with a reason'
	run 3 'dump: --method ring' "$dump" --method ring "$work/live-0-1"
	has err 'method ring: .*' 'dump: no ring, with a reason'
	run 2 'dump: --method mmap, which there was' "$dump" --method mmap five-0-1
	has err 'method mmap is gone: use --method=ring' 'dump: a remedy'
	run 0 'dump: --method=auto' "$dump" --method=auto -n 1 five-0-1
	has out 'block 0' 'dump: a block'
	run 2 'cat-file: unknown method' "$cat_file" -m mmaps five-0-1
	has err 'mmaps: not a method' 'cat-file: unknown method, with a reason'
	run 2 'dump: unknown method' "$dump" --method '' five-0-1
}

make_blocks
test_alike
test_closed_streams
test_terminal
test_hidden_characters
test_cat_file
test_cat_file_loss
test_cat_file_errors
test_cat_file_pipe
test_cat_file_signal
test_dump_text
test_dump_formats
test_dump_json
test_dump_names
test_dump_values
test_dump_alarms
test_dump_tlv
test_dump_control_only
test_dump_many
test_dump_errors
test_dump_live
test_silence
test_methods
done_testing
