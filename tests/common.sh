# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Functions for the shell scripts here. Source the file; it prints nothing. The programs in
# Python have zio_testing/common.py.

shopt -s inherit_errexit

testing=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P) # tests/
root=$(cd "$testing/.." && pwd -P)
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/zio
self=${0##*/}

say()
{
	printf '%s: %s\n' "$self" "$*" >&2
}

# Exit status 125 means that the script itself failed, not the program that it runs.
die()
{
	say "$*"
	exit 125
}

wrong_usage()
{
	say "$* (try --help)"
	exit 2
}

# The leading comment of a script, from the line "NAME - what it is", is its help.
print_help()
{
	awk -v name="$self" '
	$0 ~ "^# " name " - " { on = 1 }
	on && !/^#/ { exit }
	on { sub(/^# ?/, ""); print }
	' "$0"
}

# run_locked FILE COMMAND...: runs one command at a time, and prints when it waits.
run_locked()
{
	local lock=$1
	shift

	mkdir -p "$(dirname "$lock")"
	exec 9>"$lock"
	if ! flock -n 9; then
		say "waiting for another run that holds ${lock##*/}"
		flock 9
	fi
	"$@"
	exec 9>&-
}
