#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The programs in the documentation compile without a warning.
set -eu

# shellcheck disable=SC2016 # the backquotes are those of the document
usage='usage: tests/doc_test.sh DOCUMENT LIBZIO.a
Compiles each program between ```c and ``` in DOCUMENT.'
# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/shell-tap.sh"
need_argument "$usage" "$@"
document=$1
lib=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v dir="$work" '
/^```c$/ { n++; on = 1; next }
/^```$/ { on = 0 }
on { print > (dir "/program" n ".c") }' "$document"

compile()
{
	"${CC:-cc}" -O2 -Wall -Wextra -Werror -I"$(dirname "$lib")" \
		-I../include/uapi -o "${1%.c}" "$1" "$lib"
}

for file in "$work"/*.c; do
	[ -e "$file" ] || break
	if compile "$file" >"$work/log" 2>&1; then
		result ok "${document##*/}: ${file##*/}"
	else
		result bad "${document##*/}: ${file##*/}"
		sed 's/^/# /' "$work/log"
	fi
done
[ "$count" -gt 0 ] || result bad "${document##*/}: has no program"
done_testing
