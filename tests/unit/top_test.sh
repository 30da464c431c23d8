#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# zio top with a tree of files that stands for sysfs and configfs.
set -eu

# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/fake-tree.sh"
begin_tests "$@"
zio=$bin/zio
export LC_ALL=C TERM=xterm

has_lines()
{
	[ "$(wc -l <"$1")" -ge "$2" ]
}

test_top()
{
	run 0 'top: plain' "$zio" top -i 0.05 -n 2 zzero
	equal "$(grep -c CHANNEL out)" 2 'top: as many times as asked for'
	has out '^zzero-0000-0-2 inp user +0 +0 +0 +0 +5/16 +3$' 'top: a row'
	lacks out zzero-0001 'top: pattern'
	run 2 'top: sort' "$zio" top -s nonsense
	run 2 'top: count' "$zio" top -n x
	run 2 'top: interval' "$zio" top -i 0
	run 0 'top: one interval' "$zio" top -i 0.05 -n 1 -s lost -r
}

# has_channels DEVICE NUMBER: in the last complete line of out
has_channels()
{
	[ "$(grep '}$' out | tail -n 1 | grep -o "\"channel\":\"$1-" |
		wc -l)" -eq "$2" ]
}

# The counters of a channel change; a device is removed, another one added.
test_top_json()
{
	local stat=$devices/zzero-0000/cset0/chan1/statistics begin
	: >out
	begin=$EPOCHREALTIME
	"$zio" top -j -i 0.2 >out 2>err &
	child=$!
	wait_for has_lines out 1
	echo 1100 >"$stat/blocks"
	wait_for has_lines out 3
	rm -r "$devices/zzero-0001"
	make_device "$PWD/sysfs" zzero-0002
	equal "$(wait_for has_channels zzero-0002 4 && echo yes)" yes \
		'top: a device appears'
	equal "$(wait_for has_channels zzero-0001 0 && echo yes)" yes \
		'top: a device goes'
	kill -INT "$child"
	status=0
	wait "$child" || status=$?
	child=
	equal "$status" 130 'top: Ctrl-C'
	cp out intervals
	has out '"blocks":1100,.*"blocks_per_s":[1-9][0-9]*\.' 'top: a rate'
	# shellcheck disable=SC2016 # a field of awk
	run 0 'top: interval' awk -F'"interval":' -v begin="$begin" -v end="$EPOCHREALTIME" \
		'{ sum += $2 } END { exit !(sum / NR > 0.15 && sum <= end - begin) }' intervals
}

# On a terminal: stty prints the same before and afterwards.
test_top_screen()
{
	needs_terminal 'top: on a terminal' || return 0
	cat >on-terminal <<-END
		stty sane rows 24 cols 80
		stty -a >before
		(until [ -e resize ]; do sleep 0.05; done; stty cols 200 </dev/tty; rm resize) &
		$zio top -i 0.1
		echo "status \$?"
		stty -a >after
	END
	rm -f keys
	mkfifo keys
	: >out
	script -qfc 'bash ./on-terminal' typescript <keys >out 2>err &
	child=$!
	exec 9>keys
	wait_for grep -q 'by name' out
	printf l >&9
	wait_for grep -q 'by lost' out
	printf r >&9
	wait_for grep -q 'by lost, reversed' out
	has out 'QUEUED +LOST.\[K' 'top: 80 columns have the losses'
	lacks out 'q: quit' 'top: longer lines are cut'
	touch resize
	wait_for grep -q 'q: quit' out
	has out 'q: quit' 'top: a resize of the terminal is followed at once'
	wait_for test ! -e resize
	stty_size='rows 24; columns 200'
	sed -i "s/rows 24; columns 80/$stty_size/" before
	printf q >&9
	wait_for grep -q status out || true
	exec 9>&-
	wait "$child" || true
	child=
	has out 'status 0' 'top: q quits'
	same before after 'top: q leaves the terminal as it was'
	has out "$(printf '\033')\[\?1049l" 'top: and its screen'
	: >out
	script -qfc 'bash ./on-terminal' typescript <keys >out 2>err &
	child=$!
	exec 9>keys
	wait_for grep -q 'by name' out
	printf '\003' >&9
	wait_for grep -q status out || true
	exec 9>&-
	wait "$child" || true
	child=
	has out 'status 130' 'top: Ctrl-C on a terminal'
	same before after 'top: Ctrl-C leaves the terminal as it was'
}

make_tree
test_top
test_top_json
test_top_screen
done_testing
