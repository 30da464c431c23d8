#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The programs in the documentation compile, without a warning.
set -eu

# shellcheck disable=SC2016 # the backquotes are those of the document
usage='usage: tests/doc_test.sh DOCUMENT LIBZIO.a
Compiles each program between ```c and ``` in DOCUMENT.'
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

document=$1
lib=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk -v dir="$work" '
/^```c$/ { n++; on = 1; next }
/^```$/ { on = 0 }
on { print > (dir "/program" n ".c") }' "$document"

count=0
failed=0
for file in "$work"/*.c; do
	[ -e "$file" ] || break
	count=$((count + 1))
	if "${CC:-cc}" -O2 -Wall -Wextra -Werror -I"$(dirname "$lib")" \
		-I../include/uapi -o "${file%.c}" "$file" "$lib" \
		>"$work/log" 2>&1; then
		echo "ok $count - ${document##*/}: program $count"
	else
		failed=$((failed + 1))
		echo "not ok $count - ${document##*/}: program $count"
		sed 's/^/# /' "$work/log"
	fi
done
echo "1..$count"
[ "$count" -gt 0 ] && [ "$failed" -eq 0 ]
