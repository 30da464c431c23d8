# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# This file is for tests that are bash scripts. It has results in the Test Anything
# Protocol, and a directory to work in. ./out and ./err hold the output of the last run().

count=0
failed=0

result()
{
	count=$((count + 1))
	if [ "$1" = ok ]; then
		echo "ok $count - $2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $2"
		[ ! -e out ] || sed 's/^/# out: /' out | head -n 5 | cut -c 1-500
		[ ! -e err ] || sed 's/^/# err: /' err | head -n 20 | cut -c 1-500
	fi
}

# verdict WHAT COMPLAINT COMMAND...
verdict()
{
	if "${@:3}"; then
		result ok "$1"
	else
		result bad "$1: $2"
	fi
}

not()
{
	! "$@"
}

# run STATUS WHAT COMMAND...: stdout to ./out, stderr to ./err
run()
{
	local status=0

	"${@:3}" >out 2>err || status=$?
	verdict "$2" "exit status $status instead of $1" [ "$status" = "$1" ]
}

# has FILE REGEX WHAT
has()
{
	verdict "$3" "'$2' not in $1" grep -Eq -- "$2" "$1"
}

lacks()
{
	verdict "$3" "'$2' in $1" not grep -Eq -- "$2" "$1"
}

same()
{
	verdict "$3" "$1 and $2 differ" cmp -s "$1" "$2"
}

equal()
{
	verdict "$3" "'$1' instead of '$2'" [ "$1" = "$2" ]
}

done_testing()
{
	echo "1..$count"
	[ "$failed" -eq 0 ]
}

# need_argument ARGUMENT...: ends the script unless there is one; $usage tells what it takes
need_argument()
{
	usage=${usage-"usage: tests/unit/${0##*/} DIRECTORY_OF_PROGRAMS"}
	case ${1-} in
	-h | --help)
		echo "$usage"
		exit 0
		;;
	'')
		echo "$usage" >&2
		exit 2
		;;
	esac
}

# begin_tests ARGUMENT...: sets $bin to the first argument, a directory, and goes to a new
# directory, $work. The end of the script removes it, and kills $child.
begin_tests()
{
	need_argument "$@"
	# shellcheck disable=SC2034 # for the script
	bin=$(cd "$1" && pwd)
	work=$(mktemp -d)
	child=
	trap clean_up EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	cd "$work" || exit
}

# put STEM SEQ NSAMPLES SSIZE [ALARMS [TYPE VALUE]]: appends a block to the files of a channel
put()
{
	"$bin/fake-node" "$@"
}

clean_up()
{
	[ -z "$child" ] || kill -KILL "$child" 2>/dev/null || true
	rm -rf "$work"
}

# wait_for COMMAND...: until it succeeds; fails if $child has ended before
wait_for()
{
	until "$@"; do
		kill -0 "$child" 2>/dev/null || return 1
	done
}

# has_bytes FILE NUMBER: at least
has_bytes()
{
	[ "$(wc -c <"$1")" -ge "$2" ]
}

# needs_terminal TEXT: fails, and skips TEXT, if no program can run on a terminal
needs_terminal()
{
	script -qec true /dev/null </dev/null >/dev/null 2>&1 && return
	result ok "$1 # SKIP no script(1), or no pseudo-terminals (is /dev/pts mounted?)"
	return 1
}
