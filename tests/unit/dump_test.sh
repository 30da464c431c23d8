#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# zio-dump: tables, times, values in units, and what lies between two blocks
set -eu

# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/shell-tap.sh"
begin_tests "$@"
dump=$bin/zio-dump
export ZIO_DEV_PATH=$work

make_blocks() {
	local seq

	for seq in 0 1 2 3 4; do
		put "$work/five-0000-0-1" "$seq" 16 1
	done
	put "$work/word-0-1" 5 3 2
	put "$work/long-0-1" 8 2 8
	put "$work/odd-0-1" 1 2 3
}

# patch FILE OFFSET BYTE...: replaces bytes, in octal
patch() {
	local file=$1 offset=$2
	shift 2
	printf "$(printf '\\%s' "$@")" |
		dd of="$file" bs=1 seek="$offset" conv=notrunc status=none
}

test_dump_csv() {
	local word

	put "$work/none-0-1" 3 0 1
	run 0 'dump: csv' "$dump" -f csv word-0-1
	equal "$(head -1 out)" channel,block,time,lost,sample,value 'dump: csv: titles'
	equal "$(sed 1d out | cut -d, -f6 | xargs)" \
		"$(od -An -v -tu2 word-0-1-data | xargs)" 'dump: csv: samples as od has them'
	has out '^zzero-0000-0-1,5,1000000005.000000042,0,2,' 'dump: csv: a line'
	run 0 'dump: csv: signed data' "$dump" -d --format=csv,signed long-0-1
	equal "$(sed 1d out | cut -d, -f4 | xargs)" \
		"$(od -An -v -td8 long-0-1-data | xargs)" 'dump: csv: signed as od has them'
	run 0 'dump: csv: controls' "$dump" -c -f csv five-0-1
	equal "$(wc -l <out)" 6 'dump: csv: a line for each control'
	has out '^zzero-0000-0-1,4,[0-9.]+,0,user,,0,16,1,8$' 'dump: csv: a control'
	run 0 'dump: csv: a block without samples' "$dump" -f csv none-0-1
	has out '^zzero-0000-0-1,3,[0-9.]+,0,,$' 'dump: csv: it has a line'
	put "$work/gap2-0-1" 1 1 1
	put "$work/gap2-0-1" 4 1 1
	run 4 'dump: csv: blocks that were not lost' "$dump" -f csv gap2-0-1
	has out ',4,[0-9.]+,0,0,' 'dump: csv: what another reader took is no loss'
	has err 'gap2-0-1: 2 blocks, 2 bytes: 2 blocks taken by another reader$' \
		'dump: csv: it says so at the end'
	printf 'a,"b' | dd of="$work/gap2-0-1-ctrl" bs=1 seek=36 conv=notrunc 2>err
	"$dump" -f csv gap2-0-1 >out
	has out '^a\?\?bo-0000-0-1,1,' 'dump: csv: a name with a comma and a quote'
	run 0 'dump: json by its format' "$dump" --format=json five-0-1
	"$dump" -j five-0-1 >wanted
	same out wanted 'dump: as --json'
	run 0 'dump: text' "$dump" -f text,dec five-0-1
	"$dump" -f dec five-0-1 >wanted
	same out wanted 'dump: text is the default'
	for word in csv,hex json,hex hex,csv; do
		run 2 "dump: $word" "$dump" -f "$word" five-0-1
		has err 'csv and json do not support hex: use dec' "dump: $word: what to use"
	done
	run 2 'dump: unknown format' "$dump" -f csv,octal five-0-1
	has err 'octal: not a format .*csv' 'dump: unknown format, with all that there are'
}

# put_scans SEQ NSAMPLES MASK: an interleaved block of 16-bit samples; bit 6 of the flags
put_scans() {
	put "$work/scan-0-1" "$1" "$2" 2 0 1 "$3"
	patch scan-0-1-ctrl $(($(wc -c <scan-0-1-ctrl) - 512 + 80)) 101
}

sum() {
	awk -F, -v column="$1" 'NR > 1 { sum += $column } END { print sum }' out
}

# Each lost block counts once, and each sample has its time and its channel.
test_dump_csv_table() {
	put "$work/many-0-1" 0 4 1
	put "$work/many-0-1" 3 4 1 1
	run 4 'dump: csv: several samples after a loss' "$dump" -f csv many-0-1
	equal "$(sum 4)" 2 'dump: csv: the sum of the losses'
	run 4 'dump: csv: rate' "$dump" -f csv --rate=4 many-0-1
	equal "$(sed '1,5d' out | cut -d, -f3 | xargs)" \
		'1000000003.000000042 1000000003.250000042 1000000003.500000042 1000000003.750000042' \
		'dump: csv: each sample has its time'
	put_scans 0 6 5
	put_scans 2 4 5
	run 4 'dump: csv: interleaved blocks' "$dump" -f csv --rate=2 scan-0-1
	equal "$(head -1 out)" channel,block,time,lost,sample,chan0,chan2 \
		'dump: csv: a column for each channel'
	equal "$(sed 1d out | cut -d, -f6- | tr , ' ' | xargs)" \
		"$(od -An -v -tu2 scan-0-1-data | xargs)" 'dump: csv: a line for each scan'
	equal "$(sed 1d out | cut -d, -f2-5 | xargs)" \
		"0,1000000000.000000042,0,0 0,1000000000.500000042,0,1 0,1000000001.000000042,0,2 \
2,1000000002.000000042,0,0 2,1000000002.500000042,0,1" 'dump: csv: times of scans'
	put_scans 3 0 5
	run 4 'dump: csv: a scan without samples' "$dump" -f csv scan-0-1
	has out '^[^,]*,3,[0-9.]+,0,,,$' 'dump: csv: it has all columns'
	put_scans 4 6 7
	run 1 'dump: csv: other channels' "$dump" -f csv scan-0-1
	has err 'block 4 has other channels than the first' 'dump: csv: what is wrong'
	run 4 'dump: csv: JSON has them' "$dump" -j scan-0-1
	rm scan-0-1-*
	put_scans 0 7 5
	run 1 'dump: csv: a part of a scan' "$dump" -f csv scan-0-1
	has err 'block 0 has 7 samples, not a multiple of its 2 channels: .*--format=json' \
		'dump: csv: a part of a scan: what is wrong'
	run 2 'dump: rate without csv' "$dump" --rate=1 many-0-1
	run 2 'dump: rate of 0' "$dump" -f csv --rate=0 many-0-1
}

# Blocks without samples and channels tell no columns: one with samples does.
test_dump_csv_empty() {
	rm -f scan-0-1-* none-0-1-*
	put "$work/none-0-1" 3 0 1
	put "$work/none-0-1" 4 0 1
	put_scans 0 6 5
	run 0 'dump: csv: an empty block first' "$dump" -f csv none-0-1 scan-0-1
	equal "$(head -1 out)" channel,block,time,lost,sample,chan0,chan2 \
		'dump: csv: the first samples decide the columns'
	equal "$(sed 1d out | cut -d, -f2,4- | xargs)" '3,0,,, 0,0,0,256,770 0,0,1,1284,1798 0,0,2,2312,2826 4,0,,,' \
		'dump: csv: no block is missing'
	run 0 'dump: csv: empty blocks alone' "$dump" -f csv none-0-1
	equal "$(sed 1d out | cut -d, -f2,4- | xargs)" '3,0,, 4,0,,' 'dump: csv: all of them'
	for ((i = 5; i < 305; i++)); do put "$work/none-0-1" "$i" 0 1; done
	run 0 'dump: csv: many empty blocks' "$dump" -f csv none-0-1
	equal "$(wc -l <out)" 303 'dump: csv: many empty blocks: all of them'
	"$dump" -f csv five-0-1 >wanted
	run 0 'dump: csv: a count' "$dump" -f csv -n 1 none-0-1
	has out '^zzero-0000-0-1,3,' 'dump: csv: a count of empty blocks'
}

# 2500000000 ticks are two and a half seconds.
test_dump_ticks() {
	put "$work/tick-0-1" 0 2 1
	patch tick-0-1-ctrl 56 0 371 2 225 0 0 0 0
	run 0 'dump: csv: many ticks' "$dump" -f csv --rate=4 tick-0-1
	equal "$(sed 1d out | cut -d, -f3 | xargs)" '1000000002.500000000 1000000002.750000000' \
		'dump: csv: ticks become seconds'
	run 0 'dump: text: many ticks' "$dump" tick-0-1
	has out 'time    1000000002.500000000 bins' 'dump: text: ticks become seconds'
	patch tick-0-1-ctrl 48 377 377 377 377 377 377 377 377
	run 1 'dump: csv: all seconds' "$dump" -f csv tick-0-1
	has err 'tick-0-1: block 0: its time, 1844.* is beyond' 'dump: csv: no time, with a reason'
	equal "$(sed 1d out | cut -d, -f2-5 | xargs)" '0,,0,0 0,,0,1' 'dump: csv: but the samples'
	run 1 'dump: text: all seconds' "$dump" tick-0-1
	has out '^  time    unknown bins 0$' 'dump: text: no time'
}

# put_trigger FILE BLOCK NUMBER BYTES...: standard attributes of the trigger; 1 is there
put_trigger() {
	local file=$1 at=$((512 * $2 + 296)) mask=2 n
	shift 2
	while [ $# -gt 0 ]; do
		n=$1
		mask=$((mask | 1 << n))
		# shellcheck disable=SC2086 # bytes
		patch "$file" $((at + 8 + 4 * n)) $2
		shift 2
	done
	patch "$file" $at "$(printf %o $((mask & 255)))" "$(printf %o $((mask >> 8)))"
}

# Two samples before the event, 3 Hz, and 5 us from the time stamp to the event
test_dump_time() {
	local times='999999999.333338375 999999999.666671709 1000000000.000005042 1000000000.333338375'

	put "$work/pre-0-1" 0 4 1
	put_trigger pre-0-1-ctrl 0 2 2 5 3 6 1 7 '100 113 114' 8 0
	run 0 'dump: csv: samples before the event' "$dump" -f csv pre-0-1
	equal "$(sed 1d out | cut -d, -f3 | xargs)" "$times" 'dump: csv: they were taken before'
	run 0 'dump: csv: two rates' "$dump" -f csv --rate=1 pre-0-1
	equal "$(sed 1d out | cut -d, -f3 | xargs)" "$times" 'dump: csv: the control wins'
	run 0 'dump: text: samples before the event' "$dump" pre-0-1
	has out '^  time    1000000000\.000005042 bins 0$' 'dump: text: the time of the event'
	has out '^  first   999999999\.333338375$' 'dump: text: the time of the first sample'
	run 0 'dump: JSON: samples before the event' "$dump" -j pre-0-1
	equal "$("$bin/json-get" secs ticks event_ns first_ns rate <out)" \
		'1000000000 42 1000000000000005042 999999999333338375 [3,1]' 'dump: JSON: all times'
	put_trigger pre-0-1-ctrl 0 2 2
	run 0 'dump: csv: no rate' "$dump" -f csv pre-0-1
	equal "$(sed 1d out | cut -d, -f3 | uniq | xargs)" 1000000000.000000042 \
		'dump: csv: no rate, one time'
	run 0 'dump: csv: a fraction' "$dump" -f csv --rate=3/2 pre-0-1
	equal "$(sed 1d out | cut -d, -f3 | xargs)" \
		'999999998.666666709 999999999.333333375 1000000000.000000042 1000000000.666666709' \
		'dump: csv: a rate that is a fraction'
	run 0 'dump: JSON: no rate' "$dump" -j pre-0-1
	equal "$("$bin/json-get" rate <out)" '(none)' 'dump: JSON: no rate'
	for rate in 0/1 1/0 3/ 3/2x 1e10 1e-10; do
		run 2 "dump: --rate=$rate" "$dump" -f csv --rate=$rate pre-0-1
	done
}

# Controls without an epoch have the rate in max-sample-rate; those of later kernels do not.
test_dump_old_rate() {
	put "$work/old-0-1" 0 2 1
	patch old-0-1-ctrl 96 12
	patch old-0-1-ctrl 116 4
	patch old-0-1-ctrl 297 20
	run 0 'dump: csv: a highest rate' "$dump" -f csv old-0-1
	equal "$(sed 1d out | cut -d, -f3 | uniq | wc -l)" 1 'dump: csv: it is no rate'
	patch old-0-1-ctrl 297 0
	run 0 'dump: csv: no epoch' "$dump" -f csv old-0-1
	equal "$(sed 1d out | cut -d, -f3 | xargs)" '1000000000.000000042 1000000000.250000042' \
		'dump: csv: version 1.4: the rate'
	run 0 'dump: csv: another rate' "$dump" -f csv --rate=2 old-0-1
	equal "$(sed 1d out | cut -d, -f3 | xargs)" '1000000000.000000042 1000000000.500000042' \
		'dump: csv: version 1.4: a wish of the user wins'
}

# A rate from the steps is only an estimate: no sample has a time by it.
test_dump_estimate() {
	for ((i = 0; i < 20; i++)); do put "$work/even-0-1" "$i" 4 1; done
	run 0 'dump: csv: even steps' "$dump" -f csv even-0-1
	equal "$(sed 1d out | cut -d, -f3 | uniq | wc -l)" 20 'dump: csv: no time by an estimate'
}

# 1 block lost, 2 taken, 2 events missed; another channel; then the device begins anew.
test_dump_breaks() {
	put "$work/break-0-1" 0 1 1
	put "$work/break-0-1" 4 1 1
	put "$work/break-0-1" 0 1 1
	put "$work/break-0-1" 9 1 1
	put_trigger break-0-1-ctrl 0 10 0 11 0 12 7
	put_trigger break-0-1-ctrl 1 10 1 11 2 12 7
	put_trigger break-0-1-ctrl 2 10 0 11 0 12 11
	patch break-0-1-ctrl $((3 * 512 + 34)) 2
	run 4 'dump: breaks' "$dump" break-0-1
	grep before out >values
	printf '  before  %s\n' \
		'1 block lost in 1 gap, 2 blocks taken by another reader, 2 events missed' \
		'1 outage' >wanted
	sed -i '/alarms/d' values
	same values wanted 'dump: breaks: what is before a block'
	has err 'break-0-1: 4 blocks, 4 bytes: 1 block lost in 1 gap, 2 .* missed, 1 outage$' \
		'dump: breaks: the account'
	run 4 'dump: JSON: breaks' "$dump" -j break-0-1
	"$bin/json-get" lost taken missed breaks outage_ns changes <out >values
	printf '%s\n' '0 0 0 (none) (none) (none)' \
		'1 2 2 ["lost","missed","taken"] (none) (none)' \
		'0 0 0 ["outage"] 0 (none)' '0 0 0 (none) (none) (none)' >wanted
	same values wanted 'dump: JSON: breaks'
	patch break-0-1-ctrl $((3 * 512 + 34)) 1
	patch break-0-1-ctrl $((3 * 512 + 14)) 7
	run 4 'dump: JSON: a change' "$dump" -j -d break-0-1
	equal "$("$bin/json-get" changes <out | tail -n 1)" '["bits"]' 'dump: JSON: what changed'
}

# The text of a block is longer than the memory for a line.
test_dump_json_long() {
	put "$work/wide-0-1" 0 5000 2
	put "$work/bytes-0-1" 0 5000 3
	run 0 'dump: JSON: many samples' "$dump" -j wide-0-1
	"$bin/json-get" data <out | tr -d '[]' | tr , ' ' | xargs >values
	od -An -v -tu2 wide-0-1-data | xargs >wanted
	same values wanted 'dump: JSON: many samples as od has them'
	run 0 'dump: JSON: many bytes' "$dump" -j bytes-0-1
	"$bin/json-get" data <out | tr -d '[]," \n' >values
	od -An -v -tx1 bytes-0-1-data | tr -d ' \n' >wanted
	same values wanted 'dump: JSON: many bytes as od has them'
}

# Readers of JSON may not hold a number of 64 bits: it is a string then.
test_dump_json_large() {
	put "$work/large-0-1" 0 2 8
	patch large-0-1-data 0 377 377 377 377 377 377 377 177
	patch large-0-1-data 8 0 0 0 0 0 0 0 200
	patch large-0-1-ctrl 64 377 377 377 377 377 377 377 377
	run 0 'dump: JSON: large numbers' "$dump" -j large-0-1
	equal "$("$bin/json-get" data bins <out)" \
		'[9223372036854775807,"9223372036854775808"] "18446744073709551615"' \
		'dump: JSON: large numbers are strings'
	run 0 'dump: JSON: with a sign' "$dump" -f json,signed large-0-1
	equal "$("$bin/json-get" data <out)" '[9223372036854775807,-9223372036854775808]' \
		'dump: JSON: with a sign they are numbers'
}

# The status tells whether all blocks are there: a script that minds errors ends.
test_dump_status() {
	put "$work/whole-0-1" 0 1 1
	put "$work/whole-0-1" 1 1 1
	run 0 'dump: nothing is missing' "$dump" whole-0-1
	equal "$(cat err)" '' 'dump: nothing is missing: no word'
	put "$work/whole-0-1" 5 1 1 1
	run 0 'dump: a count before the loss' "$dump" -n 2 whole-0-1
	run 4 'dump: a count behind the loss' "$dump" -n 3 whole-0-1
	run 4 'dump: set -e' bash -ec '"$1" -j whole-0-1; echo behind' bash "$dump"
	lacks out behind 'dump: set -e: the script ends'
	equal "$(tail -n 1 err)" \
		"$dump: whole-0-1: 3 blocks, 3 bytes: 3 blocks lost in 1 gap" \
		'dump: the last line says what is missing'
	run 4 'dump: one of two sources' "$dump" -c whole-0-1 five-0-1
	run 1 'dump: a loss, and no room' bash -c '"$1" -j whole-0-1 >/dev/full' bash "$dump"
}

# A time that contradicts itself
test_dump_wrong_time() {
	put "$work/wrong-0-1" 0 1 1
	put "$work/wrong-0-1" 1 1 1
	put_trigger wrong-0-1-ctrl 0 5 1
	run 1 'dump: half a rate' "$dump" -f csv wrong-0-1
	has err 'wrong-0-1: block 0: its control has the rate 1/0' 'dump: half a rate: a reason'
	equal "$(sed 1d out | cut -d, -f2-4 | xargs)" '0,,0 1,1000000001.000000042,0' \
		'dump: half a rate: the blocks are there'
}

# Signed samples of 12 bits, 0.01 V a step, -5 mV: standard attributes 5 and 8 to 12
make_volts() {
	put "$work/volt-0-1" 0 3 2
	printf '\377\017\0\0\144\0' >volt-0-1-data
	patch volt-0-1-ctrl 14 14
	patch volt-0-1-ctrl 96 40 37
	patch volt-0-1-ctrl 124 1
	patch volt-0-1-ctrl 136 1
	patch volt-0-1-ctrl 140 173 24 256 107 341 172 204 77
	patch volt-0-1-ctrl 148 173 24 256 107 341 172 164 277
}

test_dump_units() {
	make_volts
	run 0 'dump: units' "$dump" -u -d volt-0-1
	equal "$(tr -s ' ' <out)" ' data 0: -0.015 -0.005 0.995 V' 'dump: values with the unit'
	run 0 'dump: units in JSON' "$dump" --units -j volt-0-1
	has out '"unit":"V","data":\[-0.015,-0.005,0.995\]' 'dump: values and unit in JSON'
	run 0 'dump: units in csv' "$dump" -u -d -f csv volt-0-1
	equal "$(sed -n '1p; $p' out | xargs)" \
		"channel,block,sample,value,unit $(sed -n '$s/,[0-9]*,2,.*/,0,2,0.995,V/p' out)" \
		'dump: value and unit in csv'
	cp volt-0-1-ctrl once-0-1-ctrl
	patch volt-0-1-ctrl 140 374 251 361 322 115 142 120 77
	cat once-0-1-ctrl volt-0-1-ctrl >two-0-1-ctrl
	cat volt-0-1-data volt-0-1-data >two-0-1-data
	mv once-0-1-ctrl volt-0-1-ctrl
	run 4 'dump: csv of two scales' "$dump" -u -d -f csv two-0-1
	equal "$(sed 1d out | cut -d, -f4,5 | xargs)" \
		'-0.015,V -0.005,V 0.995,V -0.006,V -0.005,V 0.095,V' 'dump: each block has its own'
	put "$work/digit-0-1" 0 1 8
	printf '\025\243\114\165\276\143\352\030' >digit-0-1-data
	patch digit-0-1-ctrl 96 40 7
	patch digit-0-1-ctrl 124 13
	patch digit-0-1-ctrl 136 1
	patch digit-0-1-ctrl 140 225 326 46 350 13 56 21 76
	run 0 'dump: csv: all digits' "$dump" -u -d -f csv digit-0-1
	equal "$(sed 1d out | cut -d, -f4)" 1795357071.123457 'dump: csv: all digits'
	run 0 'dump: JSON: all digits' "$dump" -u -d -j digit-0-1
	has out '"data":\[1795357071.123457\]' 'dump: JSON: all digits'
	run 0 'dump: no unit' "$dump" -u -d -n 1 five-0-1
	equal "$(head -n 1 out | tr -s ' ')" ' data 0: 0 1 2 3' 'dump: numbers without a unit'
	run 0 'dump: JSON without a unit' "$dump" -u -d -j -n 1 word-0-1
	equal "$("$bin/json-get" unit <out)" '""' 'dump: JSON without a unit'
	run 0 'dump: units of 3 bytes' "$dump" -u -d odd-0-1
	has out ': 1f2021 222324$' 'dump: units: what is no number is printed as bytes'
	run 0 'dump: JSON units of 3 bytes' "$dump" -u -j odd-0-1
	equal "$("$bin/json-get" unit data <out)" '(none) ["1f2021","222324"]' \
		'dump: JSON: what is no number is printed as bytes'
	run 0 'dump: attributes of a scale' "$dump" -a -c volt-0-1
	has out 'unit=V signed=1 .*scale=0.01 offset=-0.005$' \
		'dump: attributes of a scale, and the unit by name'
	run 0 'dump: JSON attributes of a scale' "$dump" -a -c -j volt-0-1
	has out '"unit":"V","signed":1,.*"scale":0.01,"offset":-0.005' \
		'dump: JSON: attributes of a scale'
	patch volt-0-1-ctrl 146 360 177
	run 0 'dump: unknown scale' "$dump" -u -d volt-0-1
	has out ': 0fff 0000 0064$' 'dump: nobody guesses an unknown scale'
}

make_blocks
test_dump_csv
test_dump_csv_table
test_dump_csv_empty
test_dump_ticks
test_dump_time
test_dump_old_rate
test_dump_estimate
test_dump_breaks
test_dump_json_long
test_dump_json_large
test_dump_status
test_dump_wrong_time
test_dump_units
done_testing
