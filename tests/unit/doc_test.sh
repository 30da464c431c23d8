#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The programs in the documentation compile without a warning. Those that read blocks fail
# with a block file that was cut.
set -eu

# shellcheck disable=SC2016 # the backquotes are those of the document
usage='usage: tests/unit/doc_test.sh DOCUMENT LIBZIO.a DIRECTORY_OF_PROGRAMS
Compiles each program between ```c and ```, or cat >FILE.c and END, in DOCUMENT.'
# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/shell-tap.sh"
need_argument "$@"
document=$(readlink -f "$1")
lib=$(readlink -f "$2")
bin=$(readlink -f "$3")
uapi=$(readlink -f ../include/uapi)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir include
ln -s "$(dirname "$lib")" include/zio

awk -v dir="$work" '
/^```c$|^cat >.*\.c <</ { n++; on = 1; next }
/^```$|^END$/ { on = 0 }
on { print > (dir "/program" n ".c") }' "$document"

compile()
{
	"${CC:-cc}" -O2 -Wall -Wextra -Werror -Iinclude \
		-I"$uapi" -o "${1%.c}" "$1" "$lib"
}

# make_files: a file of two blocks, and one whose second block is not whole
make_files()
{
	local seq
	for seq in 0 1; do
		"$bin/fake-node" "$work/block$seq" "$seq" 16 1
		cat "$work/block$seq-ctrl" "$work/block$seq-data" >>"$work/whole"
	done
	head -c -4 "$work/whole" >"$work/cut"
}

# try PROGRAM: reads both files. Those that write make a file "copy" of what they read.
try()
{
	run 0 "${document##*/}: ${1##*/}: a whole file" "$1" "$work/whole" "$work/copy"
	run 1 "${document##*/}: ${1##*/}: a file that was cut" "$1" "$work/cut" "$work/copy"
	has err 'end' "${document##*/}: ${1##*/}: with a reason"
}

make_files
for file in "$work"/*.c; do
	[ -e "$file" ] || break
	if compile "$file" >"$work/log" 2>&1; then
		result ok "${document##*/}: ${file##*/}"
		! grep -q 'zio_next(' "$file" || try "${file%.c}"
	else
		result bad "${document##*/}: ${file##*/}"
		sed 's/^/# /' "$work/log"
	fi
done
[ "$count" -gt 0 ] || result bad "${document##*/}: has no program"
done_testing
