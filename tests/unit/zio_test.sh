#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# zio with a tree of files that stands for sysfs and configfs.
set -eu

# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/fake-tree.sh"
begin_tests "$@"
zio=$bin/zio
unset NO_COLOR
export LC_ALL=C TERM=xterm

# tree_sum: a checksum of all files
tree_sum()
{
	find sysfs configfs -type f -exec cksum {} + | sort | cksum
}

# refused STATUS WHAT REGEX ARGUMENT...: zio fails with a message, changes nothing
refused()
{
	local status=$1 what=$2 regex=$3 before
	shift 3
	before=$(tree_sum)
	run "$status" "$what" "$zio" "$@"
	has err "$regex" "$what, with a reason"
	equal "$(tree_sum)" "$before" "$what: nothing changed"
}

test_main()
{
	local command
	run 2 'no command' "$zio"
	has err '^Usage: zio ' 'no command: usage'
	has err '^  list +show devices' 'no command: the commands'
	run 2 'unknown command' "$zio" lits
	has err "lits: no such command \(did you mean 'list'\?\); there are: list top .* pva$" \
		'unknown command, with a reason'
	run 2 'unknown command, like the last one' "$zio" pav
	has err "did you mean 'pva'" 'unknown command, like the last one'
	run 2 'unknown command, like no other' "$zio" frobnicate
	has err 'frobnicate: no such command; there are: list ' 'unknown command, like no other'
	run 2 'unknown option' "$zio" --nothing
	for command in list get set create destroy top plot export save restore dump copy cat; do
		run 0 '--help' "$zio" --help
		has out "^  $command " "--help lists $command"
		run 0 "$command --help" "$zio" "$command" --help
		has out "^Usage: zio $command " "$command --help: usage"
		run 2 "$command --nothing" "$zio" "$command" --nothing
		"$zio" "$command" --help >wanted
		run 0 "$command help" "$zio" "$command" help
		same out wanted "$command help: as --help"
		run 0 "$command -h" "$zio" "$command" -h
		same out wanted "$command -h: as --help"
	done
	run 0 'help' "$zio" help
	"$zio" --help >wanted
	same out wanted 'help: as --help'
	run 0 'help of a command' "$zio" help list
	"$zio" list --help >wanted
	same out wanted 'help of a command: as its --help'
	run 2 'help of no command' "$zio" help nothing
	has err 'nothing: no such command' 'help of no command, with a reason'
	run 2 'help of a mistyped command' "$zio" help dmup
	has err "did you mean 'dump'" 'help of a mistyped command: the command'
	run 0 '--version' "$zio" --version
	has out '^zio [0-9]' '--version: text'
	run 1 'disk full' bash -c "'$zio' list -i 0 >/dev/full"
	has err 'No space left' 'disk full, with a reason'
	mkdir -p empty/bus/zio/devices
	run 0 'no device' env ZIO_SYSFS="$work/empty" "$zio" list -i 0
	has err 'there is no device: load a driver' 'no device: it is said'
	run 1 'no ZIO' env ZIO_SYSFS="$work/none" "$zio" list
	has err 'is zio loaded' 'no ZIO, with a reason'
}

test_list()
{
	run 0 'list: columns' "$zio" list -i 0
	equal "$(head -n 1 out)" \
		'zzero-0000-0-0 input user kmalloc on 5 16 100 1600 3 - - - 0 -' \
		'list: a line of words'
	equal "$(wc -l <out)" 8 'list: all channels'
	run 0 'list: titles' "$zio" list -i 0 -H
	equal "$(head -n 1 out | wc -w)" "$(tail -n 1 out | wc -w)" \
		'list: as many titles as columns'
	run 0 'list: one device' "$zio" list -i 0 zzero
	equal "$(wc -l <out)" 4 'list: by the short name of id 0'
	run 0 'list: by pattern' "$zio" list -i 0 '*1/cset0' 'zzero-0001-1-*'
	equal "$(wc -l <out)" 4 'list: pattern of a channel'
	run 0 'list: short address' "$zio" list -i 0 zzero-0-2 zzero/cset1
	equal "$(cut -d' ' -f1 out | xargs)" 'zzero-0000-0-2 zzero-0000-1-0' \
		'list: channel and set'
	run 0 'list: by numbers' "$zio" list -i 0 zzero/0/1 zzero-0001/1
	equal "$(cut -d' ' -f1 out | xargs)" 'zzero-0000-0-1 zzero-0001-1-0' \
		'list: by numbers: channels'
	run 0 'list: name of a set' "$zio" list -i 0 'zzero-0001/pl*'
	equal "$(cut -d' ' -f1 out)" zzero-0001-1-0 'list: name of a set: channel'
	run 1 'list: nothing matches' "$zio" list -i 0 nothing
	has err "nothing matches 'nothing'" 'list: nothing matches, with a reason'
	run 1 'list: one of two matches' "$zio" list -i 0 zzero-0-1 nothing
	equal "$(cut -d' ' -f1 out)" zzero-0000-0-1 'list: one of two is shown'
	run 2 'list: interval' "$zio" list -i -1
	echo 0 >"$devices/zzero-0000/cset0/chan1/enable"
	echo 0 >"$devices/zzero-0000/cset1/enable"
	echo 0 >"$devices/zzero-0001/cset0/trigger/enable"
	rm "$devices/zzero-0001/cset1/chan0/buffer/queued-buffer-len"
	"$zio" list -i 0 >out
	equal "$(cut -d' ' -f5 out | xargs)" \
		'on off on set-off trigger-off trigger-off trigger-off on' \
		'list: states'
	equal "$(tail -n 1 out | cut -d' ' -f6)" - 'list: what is not known'
}

test_tree()
{
	run 0 'list: tree' "$zio" list -i 0 -t
	has out '^zzero-0000$' 'tree: device'
	has out '^\|- cset0  input  trigger user  buffer kmalloc  16 x 1 B  fired 100$' \
		'tree: set'
	has out '^\|  `- zzero-0000-0-2  on  queued 5/16  blocks 100  lost 3$' \
		'tree: last channel'
	has out "^\`- cset1  output  'player'  " 'tree: set with a name'
	lacks out 'from' 'tree: no route'
	put_file "$devices/zzero-0000/cset1/chan0/buffer/source" zzero-0001-0-2
	put_file "$devices/zzero-0000/cset1/chan0/statistics/route-lost" 7
	run 0 'tree: a route' "$zio" list -i 0 -t
	has out 'zzero-0000-1-0 .* lost 10  from zzero-0001-0-2$' \
		'tree: a route, and its losses'
	run 0 'JSON: a route' "$zio" list -i 0 -j zzero-1-0
	has out '"source": *"zzero-0001-0-2"' 'JSON: a route'
	echo none >"$devices/zzero-0000/cset1/chan0/buffer/source"
	run 0 'tree: a route that has ended' "$zio" list -i 0 -t
	lacks out 'from' 'tree: it has ended'
	lacks out "$(printf '\033')" 'tree: no colours into a pipe'
}

test_tree_on_terminal()
{
	needs_terminal 'tree: on a terminal' || return 0
	run 0 'tree: on a terminal' script -qec "$zio list -i 0" typescript
	has out 'zzero-0000' 'tree: on a terminal: a tree'
	has out "$(printf '\033')\[32mon" 'tree: colours on a terminal'
	NO_COLOR=1 run 0 'tree: NO_COLOR' script -qec "$zio list -i 0" typescript
	has out '^\|- cset0' 'tree: NO_COLOR: is a tree'
	lacks out "$(printf '\033')\[32mon" 'tree: NO_COLOR: has none'
}

json()
{
	"$bin/json-get" "$@" <out
}

test_list_json()
{
	run 0 'list: JSON' "$zio" list -i 0 -j zzero-0-1
	equal "$(json shared_triggers configured_devices)" '[] []' \
		'JSON: no triggers'
	equal "$(json devices)" \
		'[{"name":"zzero-0000","csets":[{"path":"zzero-0000/cset0","name":"cset0","direction":"input","ssize":1,"sample_rate":0,"enable":true,"trigger":{"name":"user","type":"user","enable":true,"nsamples":16},"buffer":"kmalloc","fired":100,"lost_triggers":0,"io_errors":0,"fired_per_s":null,"channels":[{"channel":"zzero-0000-0-1","path":"zzero-0000/cset0/chan1","state":"on","enable":true,"queued":5,"length":16,"blocks":100,"bytes":1600,"lost":3,"alarms":0,"blocks_per_s":null,"bytes_per_s":null,"lost_per_s":null}]}]}]' \
		'JSON: all of it'
	run 0 'list: rates' "$zio" list -i 0.05 zzero-0-1
	equal "$(cut -d' ' -f11-13 out)" '0.0 0.0 0.0' 'list: rates'
	put_file "$devices/zzero-0000/cset0/sample-rate" 1411200/29
	put_file "$devices/zzero-0001/cset0/sample-rate" 48000
	put_file "$devices/zzero-0000/cset0/statistics/lost_triggers" 4
	run 0 'list: sample rate' "$zio" list -i 0 zzero-0-1 zzero-0001-0-1
	equal "$(cut -d' ' -f14- out | xargs)" '4 1411200/29 0 48000' 'list: missed, and rate'
	run 0 'tree: sample rate' "$zio" list -i 0 -t zzero-0-1
	has out ' 1 B  1411200/29 samples/s  fired 100 ' 'tree: sample rate of the set'
	run 0 'JSON: sample rates' "$zio" list -i 0 -j
	has out '"sample_rate":"1411200/29",' 'JSON: sample rate, a fraction'
	has out '"sample_rate":48000,' 'JSON: sample rate, a number'
	rm "$devices"/*/cset0/sample-rate
	echo 0 >"$devices/zzero-0000/cset0/statistics/lost_triggers"
}

test_get()
{
	local name
	for name in zzero-0000/cset0/chan1/enable zzero/0/1/enable \
		zzero-0-1/enable zzero-0000-0-1/enable /dev/zio/zzero-0000-0-1/enable \
		zzero/cset0/1/enable; do
		echo 7 >"$devices/zzero-0000/cset0/chan1/enable"
		run 0 "get: $name" "$zio" get "$name"
		equal "$(cat out)" 7 "get: $name: value"
	done
	run 0 'get: node' "$zio" get /dev/zzero-0-1-data
	has out '^enable=7$' 'get: of a node the channel'
	run 0 'get: set by name' "$zio" get zzero-0001/player/direction
	equal "$(cat out)" output 'get: set by name: value'
	run 0 'get: all of a set' "$zio" get zzero/0
	equal "$(cut -d= -f1 out | xargs)" "current_buffer current_trigger \
direction enable name ssize statistics/fired statistics/io_errors \
statistics/lost_triggers trigger/enable trigger/name trigger/nsamples \
trigger/nshots" 'get: all of a set: attributes'
	run 0 'get: recursively' "$zio" get -r zzero/0
	has out '^chan2/buffer/max-buffer-len=16$' 'get: recursively: channels'
	lacks out 'current-control|uevent' 'get: nothing binary'
	run 0 'get: device' "$zio" get zzero-0001
	has out '^cset1/trigger/nshots=1$' 'get: device: its sets'
	lacks out 'power|uevent' 'get: nothing of the driver model'
	run 0 'get: several' "$zio" get zzero/0/ssize zzero-0-0/buffer
	equal "$(xargs <out)" "zzero-0000/cset0/ssize=1 \
zzero-0000/cset0/chan0/buffer/max-buffer-len=16 \
zzero-0000/cset0/chan0/buffer/name=kmalloc \
zzero-0000/cset0/chan0/buffer/queued-buffer-len=5" 'get: several: full names'
	run 0 'get: JSON' "$zio" get -j zzero/0/trigger zzero/0/direction
	equal "$(cat out)" \
		'{"zzero-0000/cset0/trigger":{"enable":1,"name":"user","nsamples":16,"nshots":1},"zzero-0000/cset0":{"direction":"input"}}' \
		'get: JSON: text'
}

# The clock of a trigger is not in its files. What is not known is "unknown".
test_get_clock()
{
	local at=$ZIO_CONFIGFS/zio/triggers/hrt/clock9
	mkdir -p "$at"
	echo monotonic >"$at/clock"
	echo kernel >"$at/clock-source"
	put_file sysfs/devices/system/clocksource/clocksource0/current_clocksource hpet
	run 0 'get: clock' "$zio" get trigger:clock9
	grep -v clock-tai out >lines
	printf '%s\n' clock=monotonic clock-source=kernel clock-counter=hpet \
		clock-state=local clock-max-error-ns=unknown \
		clock-est-error-ns=unknown >wanted
	same lines wanted 'get: clock: lines'
	has out '^clock-tai-offset-s=' 'get: clock: TAI'
	echo gps-card >"$at/clock-source"
	run 0 'get: clock of a board, JSON' "$zio" get -j trigger:clock9
	equal "$("$bin/json-get" trigger:clock9 <out)" '{"clock":"monotonic","clock-source":"gps-card","clock-counter":"gps-card","clock-state":"unknown","clock-max-error-ns":"unknown","clock-est-error-ns":"unknown","clock-tai-offset-s":"unknown"}' \
		'get: clock of a board: nothing else is known'
	run 0 'get: an attribute' "$zio" get trigger:clock9/clock
	equal "$(cat out)" monotonic 'get: an attribute alone'
	rm -r "$at"
}

test_get_errors()
{
	local what
	refused 3 'plot: an output' \
		'^zio: zzero-1-0 is an output, which cannot be read: plot an input, or the block file' \
		plot zzero-1-0
	refused 2 'get: nothing' '^Usage:' get
	refused 1 'get: no device' \
		'nope: no such device or channel; there are: zzero-0000 zzero-0001' \
		get nope
	refused 1 'get: a mistyped device' \
		"^zio: zzreo: no such device or channel \(did you mean 'zzero'\?\); there are: zzero" \
		get zzreo
	refused 1 'get: a mistyped channel' "did you mean 'zzero-0001'" get zzer-0001-0-1
	refused 1 'get: a mistyped part' \
		"has no channel, part or attribute 'triger' \(did you mean 'trigger'\?\); there are: " \
		get zzero/0/triger
	refused 1 'get: a mistyped attribute' \
		"has no part or attribute 'nsampels' \(did you mean 'nsamples'\?\); there are: " \
		get zzero/0/trigger/nsampels
	refused 1 'get: no set' "zzero-0000 has no channel set '9'" get zzero/9
	refused 1 'get: no channel' 'nope-0-9: no such' get nope-0-9
	refused 1 'get: no attribute' \
		"zzero-0000/cset0/trigger has no part or attribute 'x' .*; there are: enable name nsamples nshots" \
		get zzero/0/trigger/x
	for what in '' / . .. zzero/ zzero//cset0 zzero/0/../cset1 zzero/0/. \
		zzero/power zzero/uevent trigger: device: trigger:.. \
		zzero-0000-9 zzero--1 "$(printf 'x%.0s' {1..300})"; do
		refused 1 "get: '${what:0:20}'" '^zio: ' get "$what"
	done
	run 0 'get: a set with hyphens' "$zio" get zzero-0000-0
	"$zio" get zzero/0 >wanted
	same out wanted 'get: a set with hyphens: as with a slash'
	run 1 'get: the others are shown' "$zio" get nope zzero/0/ssize
	equal "$(cat out)" zzero-0000/cset0/ssize=1 'get: the others'
}

value()
{
	cat "$devices/$1"
}

test_set()
{
	run 0 'set: one' "$zio" set zzero/0 enable=0
	equal "$(value zzero-0000/cset0/enable)" 0 'set: one: written'
	equal "$(cat out err)" '' 'set: silent'
	run 0 'set: several of several' "$zio" set -v zzero/0 enable=1 \
		trigger/nsamples=100 zzero-0001-0-2/buffer max-buffer-len=32
	equal "$(value zzero-0000/cset0/trigger/nsamples)" 100 'set: of a part'
	equal "$(value zzero-0001/cset0/chan2/buffer/max-buffer-len)" 32 \
		'set: of another object'
	equal "$(xargs <out)" "zzero-0000/cset0/enable=1 \
zzero-0000/cset0/trigger/nsamples=100 \
zzero-0001/cset0/chan2/buffer/max-buffer-len=32" 'set: --verbose'
	run 0 'set: OBJECT/ATTR=VALUE' "$zio" set zzero/0/trigger/nsamples=5
	equal "$(value zzero-0000/cset0/trigger/nsamples)" 5 \
		'set: OBJECT/ATTR=VALUE: written'
	run 0 "set: '=' in the value" "$zio" set zzero/0 current_buffer=a=b
	equal "$(value zzero-0000/cset0/current_buffer)" a=b \
		"set: '=' in the value: written"
}

# The attributes of the new trigger appear only after current_trigger is written.
test_set_order()
{
	put_file "$devices/zzero-0000/cset0/.moved/period-ns" 0
	refused 1 'set: attribute of another trigger' \
		"has no part or attribute 'period-ns' .does another trigger have it\? set current_trigger first.; there are: " \
		set zzero/0 trigger/period-ns=1
	run 0 'set: trigger first' "$zio" set -v zzero/0 trigger/period-ns=1000 \
		enable=1 current_trigger=hrt
	equal "$(cut -d/ -f3- out | xargs)" \
		'current_trigger=hrt trigger/period-ns=1000 enable=1' \
		'set: trigger first: order'
	run 0 'set: trigger as an object' "$zio" set -v zzero/0/trigger \
		period-ns=2000 zzero/0 current_trigger=hrt
	equal "$(value zzero-0000/cset0/trigger/period-ns)" 2000 \
		'set: trigger as an object: written'
	run 1 'set: attribute that does not come' "$zio" set zzero/0 \
		current_trigger=hrt trigger/nonsense=1 enable=0
	has err '1 of [23] attributes were set' 'set: how far it came'
	equal "$(value zzero-0000/cset0/enable)" 1 'set: and no farther'
}

# A number may have a unit that the name of the attribute has.
test_set_units()
{
	local given
	for given in 20ms=20000000 1.5us=1500 0.25s=250000000 7ns=7 1e-3s=1000000 42=42; do
		put_file "$devices/zzero-0000/cset0/trigger/period-ns" 0
		run 0 "set: ${given%=*}" "$zio" set zzero/0/trigger "period-ns=${given%=*}"
		equal "$(value zzero-0000/cset0/trigger/period-ns)" "${given#*=}" \
			"set: ${given%=*} in nanoseconds"
	done
	put_file "$devices/zzero-0000/cset0/trigger/period-ms" 0
	run 0 'set: 2s' "$zio" set zzero/0/trigger period-ms=2s
	equal "$(value zzero-0000/cset0/trigger/period-ms)" 2000 'set: 2s in milliseconds'
	fail_with 22 zzero-0000/cset0/trigger/period-ms
	refused 1 'set: no whole number' "cannot set '1us': Invalid argument: 1us is not a whole number of ms" \
		set zzero/0/trigger period-ms=1us
	rm "$devices/zzero-0000/cset0/trigger/period-ms"
	fail_with 22 zzero-0000/cset0/trigger/period-ns
	for given in 20mx ms 1e400s -20ms inf nans 0x1s; do
		refused 1 "set: $given" "cannot set '$given': .*it accepts 1000 to" \
			set zzero/0/trigger "period-ns=$given"
	done
	rm "$devices/zzero-0000/cset0/trigger/period-ns"
	fail_with 22 zzero-0000/cset0/trigger/nsamples
	refused 1 'set: an attribute without a unit' "cannot set '5ms'" \
		set zzero/0/trigger nsamples=5ms
}

test_set_errors()
{
	refused 2 'set: nothing' '^Usage:' set
	refused 2 'set: no assignment' 'ATTR=VALUE is missing' set zzero/0
	refused 2 'set: no object' 'the object is missing' set enable=1
	refused 2 'set: no value' 'the value is missing' set zzero/0 enable=
	refused 2 'set: no name' 'is not ATTR=VALUE' set zzero/0 =1
	refused 2 'set: two lines' 'one line' set zzero/0 enable="1
0"
	refused 2 'set: longer than a page' 'one line' set zzero/0 \
		enable="$(printf '1%.0s' {1..5000})"
	refused 2 'set: last object without' 'ATTR=VALUE is missing' \
		set zzero/0 enable=0 zzero/1
	refused 1 'set: second is malformed' "has no channel, part or attribute 'no'" \
		set zzero/0 enable=0 no=1
	refused 1 'set: second object is not there' 'nope: no such device' \
		set zzero/0 enable=0 nope enable=1
	refused 1 'set: read only' 'zzero-0000/cset0/ssize is read-only' \
		set zzero/0 enable=0 ssize=1
	refused 1 'set: a part' \
		'zzero-0000/cset0/trigger is not an attribute: set current_trigger' \
		set zzero/0 trigger=hrt
	refused 1 'set: out of the object' 'has no' set zzero/0/chan0 ../enable=1
}

# fail_with NUMBER PATH: a write fails with this errno
fail_with()
{
	echo "$1" >"$devices/$(dirname "$2")/.${2##*/}.errno"
}

test_set_refused()
{
	local node=zzero-0000-0-1-data
	fail_with 16 zzero-0000/cset0/current_buffer
	mkdir "$work/nodes"
	: >"$work/nodes/$node"
	tail -f "$work/nodes/$node" >/dev/null 2>&1 &
	child=$!
	wait_for sh -c "ls -l /proc/$child/fd | grep -q $node"
	export ZIO_DEV_PATH="/none:$work/nodes"
	refused 1 'set: EBUSY' "cannot set 'vmalloc': Device or resource busy: a node of the set is open, or mapped: $node by tail \($child\)\$" \
		set zzero/0 current_buffer=vmalloc
	export ZIO_DEV_PATH="$work/elsewhere"
	refused 1 'set: EBUSY, by a copy' 'a node of the set is open, or mapped$' \
		set zzero/0 current_buffer=vmalloc
	unset ZIO_DEV_PATH
	kill "$child"
	wait "$child" || true
	child=
	fail_with 22 zzero-0000/cset0/current_buffer
	refused 1 'set: EINVAL' 'Invalid argument: it accepts one of: kmalloc vmalloc$' \
		set zzero/0 current_buffer=nope
	refused 1 'set: a mistyped buffer' "it accepts one of: kmalloc vmalloc \(did you mean 'vmalloc'\?\)\$" \
		set zzero/0 current_buffer=vmaloc
	fail_with 22 zzero-0000/cset0/current_trigger
	refused 1 'set: no trigger' 'it accepts one of: user hrt clock7$' \
		set zzero/0 current_trigger=nope
	fail_with 95 zzero-0000/cset0/trigger/nshots
	refused 1 'set: EOPNOTSUPP' 'Operation not supported: it accepts 1$' \
		set zzero/0 trigger/nshots=2
	fail_with 2 zzero-0000/cset0/current_trigger
	refused 1 'set: no trigger and no module' 'No such file or directory: it accepts one of: user hrt clock7$' \
		set zzero/0 current_trigger=nope
	mv "$devices/zzero-0000/cset0/accepted" kept
	refused 1 'set: ENOENT, older kernel' "/cset0/current_trigger: cannot set 'nope': No such file or directory: there is no trigger type or shared trigger of this name\$" \
		set zzero/0 current_trigger=nope
	refused 1 'set: EOPNOTSUPP, older kernel' "/trigger/nshots: cannot set '2': Operation not supported: the device or the trigger type cannot do that\$" \
		set zzero/0 trigger/nshots=2
	mv kept "$devices/zzero-0000/cset0/accepted"
	put_file "$devices/zzero-0000/cset0/trigger/fire" ''
	fail_with 108 zzero-0000/cset0/trigger/fire
	refused 1 'set: ESHUTDOWN' 'disabled, or its set: set enable=1' \
		set zzero/0/trigger fire=1
	put_file "$devices/zzero-0000/cset0/trigger/source" ''
	fail_with 40 zzero-0000/cset0/trigger/source
	refused 1 'set: ELOOP' 'cannot follow itself' \
		set zzero/0/trigger source=zzero-0000/cset0
	put_file "$devices/zzero-0000/cset1/chan0/buffer/source" none
	fail_with 42 zzero-0000/cset1/chan0/buffer/source
	refused 1 'set: ENOMSG' 'this channel is an output: use an input' \
		set zzero/1/0/buffer source=zzero-0000-1-0
	rm "$devices/zzero-0000/cset1/chan0/buffer/source"
	put_file "$devices/zzero-0000/cset0/trigger/period-ns" 7000
	fail_with 34 zzero-0000/cset0/trigger/period-ns
	refused 1 'set: ERANGE, with the limits' 'it accepts 1000 to 31536000000000000$' \
		set zzero/0/trigger period-ns=0
	refused 1 'set: ERANGE, within the limits' 'the value is beyond the limits of the attribute' \
		set zzero/0/trigger period-ns=1000
	chmod 0444 "$devices/zzero-0000/cset0/trigger/period-ns"
	refused 1 'set: of a shared trigger' 'shared trigger: set trigger:[a-z0-9]+ period-ns=' \
		set zzero/0/trigger period-ns=7
	rm "$devices/zzero-0000/cset0/trigger/"{fire,source,period-ns}
	put_file "$devices/zzero-0000/cset0/chan0/gain" 1
	fail_with 22 zzero-0000/cset0/chan0/gain
	refused 1 'set: choices of any driver' 'it accepts one of: 1 2 5 10$' \
		set zzero-0-0 gain=3
	refused 1 'set: part of a choice' 'it accepts one of: 1 2 5 10$' set zzero-0-0 gain=0
	refused 1 'set: a choice' 'this attribute does not accept the value' \
		set zzero-0-0 gain=10
	rm "$devices/zzero-0000/cset0/chan0/gain"
	put_file "$devices/zzero-0000/cset0/chan0/buffer/watermark" 1
	fail_with 22 zzero-0000/cset0/chan0/buffer/watermark
	refused 1 'set: a limit that is an attribute' 'it accepts 1 to max-buffer-len$' \
		set zzero-0-0 buffer/watermark=17
	rm "$devices/zzero-0000/cset0/chan0/buffer/watermark"
	fail_with 34 zzero-0000/cset0/chan0/alarms
	refused 1 'set: ERANGE' 'it accepts 0 to 65535$' set zzero-0-0 alarms=65536
	fail_with 12 zzero-0000/cset0/trigger/nsamples
	run 1 'set: ENOMEM' "$zio" set zzero/0 enable=0 trigger/nsamples=9 \
		trigger/nshots=1
	has err 'Cannot allocate memory: not enough memory for this value' \
		'set: ENOMEM, with a reason'
	has err '1 of 3 attributes were set' 'set: ENOMEM: how far it came'
}

test_create()
{
	local hrt=configfs/zio/triggers/hrt zzero=configfs/zio/devices/zzero
	run 0 'create: trigger' "$zio" create trigger hrt clock0 \
		period-ns=1000000 enable=1
	equal "$(cat $hrt/clock0/period-ns $hrt/clock0/enable | xargs)" \
		'1000000 1' 'create: trigger: attributes'
	run 0 'create: device' "$zio" create device zzero rack1 channels=4
	equal "$(cat $zzero/rack1/channels $zzero/rack1/live | xargs)" '4 1' \
		'create: device: lives'
	run 0 'create: device later' "$zio" create device zzero rack2 live=0
	equal "$(cat $zzero/rack2/live)" 0 'create: device later: does not live'
	run 0 'set: device:' "$zio" set device:rack2 live=1
	equal "$(cat $zzero/rack2/live)" 1 'set: device: is written'
	echo 16 >$zzero/rack2/.channels.errno
	refused 1 'set: live device' 'the device is live: set live=0 first' \
		set device:rack2 channels=2
	run 0 'get: trigger:' "$zio" get trigger:clock0
	equal "$(xargs <out)" \
		'clock=realtime enable=1 fired=0 period-ns=1000000' 'get: trigger:'
	run 0 'get: one of trigger:' "$zio" get trigger:clock0/period-ns
	equal "$(cat out)" 1000000 'get: one of trigger:: value'
	echo clock0 >"$devices/zzero-0000/cset0/current_trigger"
	run 0 'list: shared' "$zio" list -t -i 0
	has out '^trigger:clock0  type hrt  on  used by zzero-0000/cset0$' \
		'list: shared trigger'
	has out 'cset0  input  trigger clock0 \(shared, hrt\)' \
		'list: set with a shared trigger'
	has out '^device:rack1  driver zzero  live as zzero-0001$' 'list: device'
	run 0 'list: shared, JSON' "$zio" list -j -i 0 'trigger:*'
	equal "$(json shared_triggers devices)" \
		'[{"name":"clock0","type":"hrt","attributes":{"clock":"realtime","enable":1,"fired":0,"period-ns":1000000},"csets":["zzero-0000/cset0"]}] []' \
		'list: shared, JSON: text'
}

test_create_errors()
{
	refused 2 'create: nothing' '^Usage: zio create ' create
	refused 2 'create: no name' '^Usage: zio create ' create trigger hrt
	refused 2 'create: what' "neither 'trigger' nor 'device'" create x hrt y
	refused 1 'create: no type' \
		"no trigger type 'irq'; there are: hrt timer; a module may have it: modprobe zio-trig-irq" create trigger irq a
	refused 1 'create: exists' "'clock0' exists already; its trigger type is hrt" \
		create trigger timer clock0
	refused 2 'create: slash' 'a name has no slash' create trigger hrt a/b
	refused 2 'create: dots' 'a name has no slash' create trigger hrt ..
	refused 2 'create: malformed' 'is not ATTR=VALUE' \
		create trigger hrt clock9 period
	refused 1 'create: no attribute' 'trigger:clock9 was not created' \
		create trigger hrt clock9 nonsense=1
	mkdir configfs/zio/triggers/hrt/.new/.keep
	echo 22 >configfs/zio/triggers/hrt/.new/.period-ns.errno
	echo 22 >configfs/zio/devices/zzero/.new/.channels.errno
	refused 1 'create: a device, refused' \
		"device:rack9/channels: cannot set '0': Invalid argument: it accepts 1 to 64\$" \
		create device zzero rack9 channels=0
	rm configfs/zio/devices/zzero/.new/.channels.errno
	refused 1 'create: refused' "trigger:clock9/period-ns: cannot set '0': Invalid argument: it accepts 1000 to 31536000000000000\$" \
		create trigger hrt clock9 enable=1 period-ns=0
	run 1 'create: no configfs' env ZIO_CONFIGFS="$work/none" "$zio" create \
		trigger hrt clock9
	has err 'see that configfs is mounted' 'create: no configfs, with a reason'
}

test_destroy()
{
	: >configfs/zio/triggers/hrt/clock0/.busy
	refused 1 'destroy: in use' \
		'trigger:clock0 is in use by zzero-0000/cset0: give' \
		destroy trigger clock0
	rm configfs/zio/triggers/hrt/clock0/.busy
	run 0 'destroy: trigger' "$zio" destroy trigger clock0
	run 1 'destroy: it is gone' test -e configfs/zio/triggers/hrt/clock0
	run 0 'destroy: device' "$zio" destroy device rack1
	run 1 'destroy: it is gone' test -e configfs/zio/devices/zzero/rack1
	refused 1 'destroy: not there' 'there is no such device' \
		destroy device rack1
	refused 2 'destroy: no name' '^Usage:' destroy device
	refused 2 'destroy: slash' 'is not a name' destroy device a/b
}

# The commands that have another name as well, and those that other programs run
test_programs()
{
	local command
	for command in dump:zio-dump copy:zio-copy cat:zio-cat-file; do
		run 0 "${command#*:} is ${command%:*}" "$zio" "${command%:*}" --help
		sed "s/^Usage: zio ${command%:*}/Usage: ${command#*:}/" out >wanted
		sed -i "s/^  or:  zio ${command%:*}/  or:  ${command#*:}/" wanted
		run 0 "${command#*:} --help" "$bin/${command#*:}" --help
		same out wanted "${command#*:}: the same help"
	done
	"$bin/fake-node" ./block 0 4 1
	cat block-ctrl block-data >one.zio
	"$bin/zio-dump" one.zio >wanted
	run 0 'zio dump' "$zio" dump one.zio
	same out wanted 'zio dump: as zio-dump'
	ln -s "$bin/zio-dump" my-dump
	mkdir links
	ln -s ../my-dump links/other
	run 0 'a link of the user' ./my-dump one.zio
	same out wanted 'a link of the user to zio-dump: as zio-dump'
	run 0 'a link of the user to that' env PATH="$work/links:$PATH" other one.zio
	same out wanted 'a link of the user to that: as zio-dump'
	run 0 'zio-dump by another argv[0]' bash -c "exec -a mine '$bin/zio-dump' one.zio"
	same out wanted 'zio-dump by another argv[0]: as zio-dump'
	run 3 'zio-dump by another argv[0]: open' bash -c "exec -a mine '$bin/zio-dump' none.zio"
	has err '^mine: none.zio: ' 'zio-dump by another argv[0]: it begins the messages'
	run 0 'zio cat' "$zio" cat -n 1 one.zio
	same out block-data 'zio cat: the samples'
	run 0 'zio cat: JSON' "$zio" cat --json one.zio
	same out block-data 'zio cat: JSON: the samples'
	equal "$("$bin/json-get" blocks <err) $("$bin/json-get" bytes <err) $("$bin/json-get" lost <err)" \
		'1 4 0' 'zio cat: JSON: the totals'
	mkdir programs
	# shellcheck disable=SC2016 # for the other program
	printf '#!/bin/sh\necho "$(basename "$0"): $*"\nexit 7\n' >programs/zio-nexus
	cp programs/zio-nexus programs/zio-mine
	chmod +x programs/*
	run 7 'zio nexus' env PATH="$work/programs:$PATH" "$zio" nexus verify 'a b' --json
	has out '^zio-nexus: verify a b --json$' 'zio nexus: the words'
	run 7 'zio record' env PATH="$work/programs:$PATH" "$zio" record zzero-0-1
	has out '^zio-nexus: zzero-0-1$' 'zio record is zio-nexus'
	run 7 'zio help nexus' env PATH="$work/programs:$PATH" "$zio" help nexus
	has out '^zio-nexus: --help$' 'zio help nexus: its help'
	run 7 'a command of the user' env PATH="$work/programs:$PATH" "$zio" mine --list
	has out '^zio-mine: --list$' 'a command of the user: the words'
	mkdir beside
	cp "$zio" programs/zio-mine beside
	sed 's|exit 7|exit 8|' programs/zio-mine >beside/zio-nexus
	chmod +x beside/zio-nexus
	run 7 'a program beside zio' env PATH=/usr/bin:/bin beside/zio mine --list
	has out '^zio-mine: --list$' 'a program beside zio: the words'
	run 8 'a program beside zio and another one' \
		env PATH="$work/programs:$PATH" beside/zio nexus
	for command in nexus kafka scope pva; do
		run 1 "$command without its program" env PATH=/nothing "$zio" $command
		has err "^zio: $command: zio-$command is not installed: install the package zio-$command" \
			"$command without its program: the package"
	done
	cp "$zio" zio
	for command in selftest top plot save restore export; do
		run 1 "$command without its program" env PATH=/nothing ./zio $command
		has err "zio-$command is not installed: install the package python3-zio" \
			"$command without its program: the package"
	done
	cp "$bin/zio-export" beside
	run 1 'export without its package' env -u PYTHONPATH beside/zio export
	has err '^zio-export: .*apt-get install python3-zio, or pip install zio-daq' \
		'export without its package: how to install it'
}

make_tree
test_main
test_programs
test_list
make_tree
test_tree
test_tree_on_terminal
test_list_json
test_get
test_get_clock
test_get_errors
make_fake_zio
make_tree
test_set
make_tree
test_set_order
make_tree
test_set_units
make_tree
test_set_errors
test_set_refused
make_tree
test_create
test_create_errors
test_destroy
done_testing
