# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the scripts of this directory share. Source it; it prints nothing.

shopt -s inherit_errexit

testing=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$testing/../.." && pwd -P)
cache=${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/zio
self=${0##*/}

say()
{
	printf '%s: %s\n' "$self" "$*" >&2
}

# Exit 125 tells a failure of the tool from that of what it ran.
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

# run_locked FILE COMMAND...: one at a time, says so when it waits.
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

# show_progress PID TEXT COMMAND...: a line every 15 s, ended by the output of
# COMMAND, while PID lives.
show_progress()
{
	local pid=$1 text=$2 start=$SECONDS next=15
	shift 2

	while kill -0 "$pid" 2>/dev/null; do
		if [ $((SECONDS - start)) -ge "$next" ]; then
			say "$text: $((SECONDS - start)) s, $("$@")"
			next=$((next + 15))
		fi
		sleep 0.5
	done
}

# The modules of each checkout and each kernel are built apart.
modules_dir()
{
	local tag
	tag=$(printf '%s %s' "$root" "$1" | cksum | cut -d' ' -f1)
	printf '%s/modules/%s-%s\n' "$cache" "${1##*/}" "$tag"
}

# build_modules KERNELDIR [COMMAND [ARG...]]: makes the modules, prints the
# directory they are in, and runs COMMAND with that directory and ARGs. No other
# run of make changes the directory meanwhile.
build_modules()
{
	local dir
	dir=$(modules_dir "$1")
	run_locked "$dir.lock" make_modules "$1" "$dir" "${@:2}" >&2
	printf '%s\n' "$dir"
}

make_modules()
{
	local log=$2.log

	mkdir -p "$2"
	if ! make -C "$root" --no-print-directory BUILD="$2" \
		KDIR="$1/build" modules >"$log" 2>&1; then
		cat "$log" >&2
		die "the modules do not build against $1/build"
	fi
	[ $# -lt 3 ] || "$3" "$2" "${@:4}"
}
