#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# zio plot with recorded blocks, without gnuplot and, if it is installed, with it.
set -eu

# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/shell-tap.sh"
begin_tests "$@"
zio=$bin/zio
export ZIO_DEV_PATH=$work
unset DISPLAY WAYLAND_DISPLAY GNUTERM

# lines: the samples in the script
lines()
{
	# shellcheck disable=SC2016 # a $ of gnuplot
	sed -n '/^$zio/,/^EOD/p' out | sed '1d; $d'
}

# points: x and y of the samples; a dash where the line breaks
points()
{
	lines | sed 's/^$/-/' | xargs
}

script()
{
	run 0 "$1" "$zio" plot --script -n 1 "${@:2}"
}

make_blocks()
{
	put saw-0-1 0 4 1
	put saw-0-1 1 4 1
	put saw-0-1 5 4 1 1
	put word-0-1 255 2 2
	put quad-0-1 8 1 4
	put quad-0-1 9 1 4
	put none-0-1 0 0 1
	put odd-0-1 0 2 3
	put large-0-1 0 100000 1
	put saw2-0-1 3 1 1
	put saw2-0-1 4 1 1
	put taken-0-1 3 1 1
	put taken-0-1 9 1 1
}

test_samples()
{
	script 'plot: a block' saw-0-1
	equal "$(points)" '0 0 1 1 2 2 3 3' 'plot: its samples'
	has out "^set title 'zzero-0000-0-1  block 0: 4 samples each, 8 bits, trigger user, 1000000000.000000 s' noenhanced$" \
		'plot: title'
	has out "^set xlabel 'sample'$" 'plot: x axis'
	script 'plot: three blocks' -b 3 saw-0-1
	equal "$(points)" \
		'0 0 1 1 2 2 3 3 4 31 5 32 6 33 7 34 - 8 155 9 156 10 157 11 158' \
		'plot: a loss breaks the line'
	has out "^set label 3 '3 lost' at first 8," 'plot: and is marked'
	has out '^set arrow 3 from first 8, graph 0 to first 8, graph 1 ' \
		'plot: by a line'
	has err 'saw-0-1: 3 blocks, 12 bytes: 3 blocks lost in 1 gap$' 'plot: the last line says it'
	script 'plot: blocks that were not lost' -b 2 taken-0-1
	has out "^set label 2 '5 not read' at first 1," 'plot: they are marked'
	script 'plot: more blocks than there are' -b 9 saw-0-1
	script 'plot: words' word-0-1
	equal "$(points)" "0 $(((0xe2 << 8) + 0xe1)) 1 $(((0xe4 << 8) + 0xe3))" \
		'plot: words: samples'
	script 'plot: signed words' -s word-0-1
	equal "$(points)" "0 $(((0xe2 << 8) + 0xe1 - 65536)) 1 $(((0xe4 << 8) + 0xe3 - 65536))" \
		'plot: signed words: samples'
}

# put_bytes OFFSET BYTES: into the control of unit-0-1
put_bytes()
{
	printf '%b' "$2" | dd of=unit-0-1-ctrl bs=1 seek="$1" conv=notrunc 2>err
}

# A scale of 0.5 V, and then one whose unit is not known
test_units()
{
	put unit-0-1 0 4 1
	put_bytes 96 '\x20\x06'
	put_bytes 124 '\x01'
	put_bytes 140 '\x00\x00\x00\x00\x00\x00\xe0\x3f'
	script 'plot: units' --units unit-0-1
	equal "$(points)" '0 0 1 0.5 2 1 3 1.5' 'plot: units: values'
	has out "^set ylabel 'V' noenhanced$" 'plot: units: the axis'
	put kelvin-0-1 0 4 1
	dd if=unit-0-1-ctrl of=kelvin-0-1-ctrl bs=1 skip=96 seek=96 count=64 conv=notrunc 2>err
	printf '\x0c' | dd of=kelvin-0-1-ctrl bs=1 seek=124 conv=notrunc 2>err
	script 'plot: channels with two units' --units unit-0-1 kelvin-0-1
	has out "^set ylabel 'value' noenhanced$" 'plot: two units: the axis has none'
	has out "title '[a-z0-9-]+  V', .* title '[a-z0-9-]+  K'$" 'plot: two units: in the key'
	script 'plot: channels with one unit' --units unit-0-1 unit-0-1
	has out "^set ylabel 'V' noenhanced$" 'plot: one unit of two channels: the axis'
	script 'plot: no units' unit-0-1
	equal "$(points)" '0 0 1 1 2 2 3 3' 'plot: no units: samples'
	put_bytes 96 '\x20\x07'
	put_bytes 136 '\x01'
	script 'plot: the control tells that they are signed' unit-0-1
	put_bytes 124 '\xff'
	run 1 'plot: an unknown unit' "$zio" plot --script -n 1 --units unit-0-1
	has err 'leave out --units' 'plot: an unknown unit: what to do'
	script 'plot: an unknown unit, without --units' unit-0-1
	script 'plot: units of a channel without one' --units saw-0-1
	has out "^set ylabel 'value' noenhanced$" 'plot: no unit: the axis'
}

# Samples have 16 bits; the lower or the upper 12 bits are significant.
set_control()
{
	printf '\x0c\x00' | dd of=word-0-1-ctrl bs=1 seek=14 conv=notrunc 2>err
	printf '%b' "$1" | dd of=word-0-1-ctrl bs=1 seek=80 conv=notrunc 2>err
}

test_bits()
{
	set_control '\x09'
	script 'plot: 12 bits below' word-0-1
	equal "$(points)" "0 $((0x2e1)) 1 $((0x4e3))" 'plot: 12 bits below: samples'
	set_control '\x05'
	script 'plot: 12 bits above' word-0-1
	equal "$(points)" "0 $((0xe2e)) 1 $((0xe4e))" 'plot: 12 bits above: samples'
	script 'plot: 12 bits above, signed' -s word-0-1
	equal "$(points)" "0 $((0xe2e - 4096)) 1 $((0xe4e - 4096))" \
		'plot: 12 bits above, signed: samples'
	has out ', 12 bits,' 'plot: title has the bits'
}

test_time()
{
	script 'plot: time' --time -b 2 quad-0-1
	equal "$(points | cut -d' ' -f1,3)" '0 1' 'plot: x is the time'
	has out "^set xlabel 'seconds since" 'plot: x axis of time'
	script 'plot: time and rate' --time --rate 4 -b 3 saw-0-1
	equal "$(points)" \
		'0 0 0.25 1 0.5 2 0.75 3 1 31 1.25 32 1.5 33 1.75 34 - 5 155 5.25 156 5.5 157 5.75 158' \
		'plot: samples within the block'
	put "$work/rate-0-1" 0 4 1
	printf '\x66\0' | dd of=rate-0-1-ctrl bs=1 seek=296 conv=notrunc 2>err
	printf '\2\0\0\0' | dd of=rate-0-1-ctrl bs=1 seek=312 conv=notrunc 2>err
	printf '\2\0\0\0\1\0\0\0' | dd of=rate-0-1-ctrl bs=1 seek=324 conv=notrunc 2>err
	script 'plot: the rate of the control' --time rate-0-1
	equal "$(points)" '-1 0 -0.5 1 0 2 0.5 3' 'plot: samples before the event'
	script 'plot: time with gaps' --time --rate 40 -b 2 saw-0-1
	equal "$(points | grep -o -- ' - ')" ' - ' 'plot: blocks that do not follow'
}

test_large()
{
	script 'plot: many samples' large-0-1
	local rows
	rows=$(lines | wc -l)
	run 0 "plot: fewer points ($rows)" test "$rows" -le 20000 -a "$rows" -gt 10000
	script 'plot: many samples again' large-0-1
	equal "$(lines | cut -d' ' -f2 |
		sort -n | sed -n '1p; $p' | xargs)" '0 255' \
		'plot: the extremes are among them'
}

test_errors()
{
	run 3 'plot: no channel' "$zio" plot nothing-0-1
	has err 'no such channel' 'plot: no channel, with a reason'
	run 1 'plot: no samples' "$zio" plot --script none-0-1
	has err 'have no samples' 'plot: no samples, with a reason'
	run 1 'plot: odd samples' "$zio" plot --script odd-0-1
	has err 'of 3 bytes are no numbers' 'plot: odd samples, with a reason'
	run 1 'plot: time without rate' "$zio" plot --script --time saw-0-1
	has err 'needs --rate=HZ' 'plot: time without rate, with a reason'
	: >void-0-1-ctrl
	: >void-0-1-data
	run 1 'plot: no block' "$zio" plot --script void-0-1
	has err 'void-0-1 has no block' 'plot: no block, with a reason'
	run 2 'plot: no name' "$zio" plot
	run 2 'plot: blocks' "$zio" plot -b 0 saw-0-1
	run 2 'plot: rate' "$zio" plot --time --rate -1 saw-0-1
	run 2 'plot: rate without time' "$zio" plot --rate 5 saw-0-1
	run 2 'plot: file of no kind' "$zio" plot -o picture saw-0-1
	has err 'none of .png .svg .pdf' 'plot: file of no kind, with a reason'
	run 1 'plot: no gnuplot' env PATH=/nowhere "$zio" plot saw-0-1
	has err 'there is no gnuplot: apt-get install' \
		'plot: no gnuplot, with a reason'
	run 1 'plot: disk full' bash -c "'$zio' plot --script saw-0-1 >/dev/full"
	has err 'No space left' 'plot: disk full, with a reason'
}

# A script stands for a gnuplot that fails, or ends.
test_bad_gnuplot()
{
	mkdir -p bad
	printf '#!/bin/sh\ncat >/dev/null; exit 3\n' >bad/gnuplot
	chmod +x bad/gnuplot
	run 1 'plot: gnuplot fails' env PATH="$work/bad:$PATH" "$zio" plot -n 1 saw-0-1
	has err 'gnuplot failed \(status 3\)' 'plot: gnuplot fails, with a reason'
	printf '#!/bin/sh\nkill -KILL $$\n' >bad/gnuplot
	run 1 'plot: gnuplot goes' env PATH="$work/bad:$PATH" "$zio" plot \
		-b 1 -i 0 saw-0-1
	has err 'gnuplot (was ended by signal 9|has ended)' \
		'plot: gnuplot goes, with a reason'
}

# gnuplot reads nothing; Ctrl-C ends zio nevertheless.
test_stuck_gnuplot()
{
	local status=0
	printf '#!/bin/sh\n: >started\nexec sleep 1000\n' >bad/gnuplot
	PATH=$work/bad:$PATH "$zio" plot large-0-1 >out 2>err &
	child=$!
	# After it has started gnuplot, zio sleeps only when the pipe is full.
	until [ -e started ] && grep -q ') S ' "/proc/$child/stat"; do
		kill -0 "$child" || break
	done
	kill -INT "$child"
	wait "$child" || status=$?
	child=
	equal "$status" 130 'plot: gnuplot does not read: Ctrl-C'
	equal "$(cat err)" '' 'plot: gnuplot does not read: no complaint'
}

# Ctrl-C ends the wait for more blocks, and nothing before or after it.
test_ctrl_c()
{
	local status=0
	mkfifo slow-0-1-ctrl slow-0-1-data
	exec 8<>slow-0-1-ctrl 9<>slow-0-1-data
	put slow-0-1 0 4 1
	"$zio" plot --script -o a.svg -b 2 slow-0-1 >out 2>err &
	child=$!
	while read -r -t 0 <&8 || read -r -t 0 <&9; do
		kill -0 "$child" || break
	done
	kill -INT "$child"
	wait "$child" || status=$?
	child=
	exec 8<&- 9<&-
	equal "$status" 130 'plot: Ctrl-C before the last block of a picture'
	equal "$(points)" '0 0 1 1 2 2 3 3' 'plot: it draws what has come'
	equal "$(cat err)" '' 'plot: with no complaint'
}

# data NAME: the samples of this data block in the script
data()
{
	sed -n "/^\$$1 <</,/^EOD/p" out | sed '1d; $d; s/^$/-/' | xargs
}

test_channels()
{
	script 'plot: two channels' -b 2 saw-0-1 saw2-0-1
	equal "$(data zio)" '0 0 1 1 2 2 3 3 4 31 5 32 6 33 7 34' \
		'plot: two channels: the first one'
	equal "$(data zio1)" '0 93 1 124' \
		'plot: two channels: the second one'
	has out "^plot \\\$zio using 1:2 with .* title 'zzero-0000-0-1', \\\$zio1 using 1:2 with .* title 'zzero-" \
		'plot: two channels: two curves with names'
	has out "^set title '2 channels'" 'plot: two channels: title'
	script 'plot: losses of two channels' -b 3 saw-0-1 saw-0-1
	has out '^set label 3 .3 lost' 'plot: a loss of the first channel'
	has out '^set label 6 .3 lost' 'plot: a loss of the second one'
	script 'plot: two channels over time' -b 2 --time quad-0-1 saw2-0-1
	equal "$(data zio | cut -d' ' -f1)" 5 'plot: the earliest block has time 0'
	equal "$(data zio1 | cut -d' ' -f1)" 0 'plot: of whichever channel it is'
	run 1 'plot: one has no block' "$zio" plot --script -n 1 saw-0-1 void-0-1
	has err 'void-0-1 has no block' 'plot: one has no block, with a reason'
	run 3 'plot: one is missing' "$zio" plot --script -n 1 saw-0-1 nothing-0-1
}

test_pictures()
{
	local file
	if ! command -v gnuplot >/dev/null; then
		result ok 'plot: pictures # SKIP no gnuplot here'
		return
	fi
	for file in "it's a.png" a.svg; do
		run 0 "plot: $file" "$zio" plot -b 3 -o "$file" saw-0-1
		run 0 "plot: $file has something in it" test -s "$file"
	done
	equal "$(head -c 8 "it's a.png" | od -An -tx1 | tr -d ' ')" \
		89504e470d0a1a0a 'plot: is a PNG'
	has a.svg '3 lost' 'plot: the loss is in the picture'
	run 0 'plot: with letters' "$zio" plot -n 2 -i 0 saw-0-1
	has out 'zzero-0000-0-1  block 1' 'plot: with letters: title'
	run 0 'plot: terminal' "$zio" plot --terminal 'dumb size 60,12' \
		-o a.txt saw-0-1
	equal "$(wc -l <a.txt)" 12 'plot: terminal: size'
}

# name OFFSET NAME: 12 bytes at OFFSET of the control of the channel "evil"
name()
{
	printf '%-12b' "$2" | tr ' ' '\000' |
		dd of=evil-0-1-ctrl bs=1 seek="$1" conv=notrunc 2>err
}

# Anyone can write a block file: its names are text, and no commands of gnuplot.
test_hostile_names()
{
	local evil place
	# shellcheck disable=SC2016 # a $ of the shell that must not run
	for evil in '`>owned`' '"`>owned`"' '$(>owned)' "'\\n!>owned\\n'" '\n!>owned\n' \
		'";!>owned\n' '\0033]0;x\a' '%s%n@a'; do
		for place in 36 84; do
			rm -f evil-0-1-*
			put evil-0-1 0 4 1
			name "$place" "$evil"
			script "plot: hostile name at $place" evil-0-1
			lacks out '[`"@]|^!|[[:cntrl:]]' 'plot: of which nothing is left'
			draw_hostile "$place" evil-0-1
			draw_hostile "$place" evil-0-1 saw-0-1
		done
	done
	run 2 'plot: a file with a newline' "$zio" plot --script -o $'a\n!>owned\n.png' saw-0-1
}

# draw_hostile PLACE CHANNEL...: gnuplot itself draws it, and runs no command
draw_hostile()
{
	rm -f owned
	if command -v gnuplot >/dev/null; then
		run 0 "plot: gnuplot draws a hostile name at $1" "$zio" plot -o evil.svg "${@:2}"
		run 1 'plot: and runs nothing' test -e owned
	fi
}

# The name of a file stays one: gnuplot runs what follows a |, and expands a ~.
test_output()
{
	local file
	for file in '|touch owned.png' '~root/a.png' '-.png'; do
		script "plot: into $file" --output="$file" saw-0-1
		has out "^set output '\./${file/|/\\|}'$" 'plot: is a file of this directory'
	done
	script 'plot: into a path' -o "$work/a.png" saw-0-1
	has out "^set output '$work/a.png'$" 'plot: stays as it is'
	script 'plot: a script for another machine' -o /nowhere/a.png saw-0-1
	run 1 'plot: no directory' "$zio" plot -o nowhere/a.png saw-0-1
	has err 'plot: nowhere/a.png: No such file .*its directory does not exist' 'plot: a reason'
	equal "$(wc -c <out)" 0 'plot: no picture on standard output'
	mkdir folder.png
	run 1 'plot: a directory' "$zio" plot -o folder.png saw-0-1
	has err 'folder.png: Is a directory' 'plot: a directory, with a reason'
	run 1 'plot: no block' "$zio" plot -o b.png void-0-1
	run 1 'plot: leaves no file' test -e b.png
	rm -rf folder.png owned.png
	if command -v gnuplot >/dev/null; then
		run 0 'plot: a name with a pipe' "$zio" plot -o '|touch owned.png' saw-0-1
		run 1 'plot: gnuplot runs nothing' test -e owned.png
		run 0 'plot: it has drawn' test -s '|touch owned.png'
	fi
}

make_blocks
test_samples
test_units
test_bits
test_time
test_large
test_errors
test_channels
test_output
test_bad_gnuplot
test_stuck_gnuplot
test_ctrl_c
test_pictures
test_hostile_names
done_testing
