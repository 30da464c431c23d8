#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The manual pages have all options of the programs and all functions of libzio.
set -eu

tools=$(cd "$(dirname "$0")/../../tools" && pwd)
# shellcheck source-path=SCRIPTDIR source=shell-tap.sh disable=SC1091
. "$(dirname "$0")/shell-tap.sh"
begin_tests "$@"

# options_of COMMAND: the long options in its help, but for those that all have
options_of()
{
	# shellcheck disable=SC2086 # a command line of several words
	"$bin"/$1 --help | grep -oE '^ +(-., |    )--[a-z-]+' |
		grep -oE -- '--.*' | grep -vE -- '^--(help|usage|version)$'
}

# documents PAGE SECTION COMMAND: the section, or all if it is empty, has its options
documents()
{
	local option
	sed -n "/^# .*$2/,/^# /p" "$tools/man/$1" | tr -d '\134' >section
	[ -n "$2" ] || tr -d '\134' <"$tools/man/$1" >section
	for option in $(options_of "$3"); do
		has section "\\*\\*$option\\*\\*" "$1: $3 $option"
	done
}

documents zio-cat-file.1.md '' zio-cat-file
documents zio-copy.1.md '' zio-copy
documents zio-dump.1.md '' zio-dump
for command in list get set top plot export restore; do
	documents zio.1.md "${command^^}" "zio $command"
done

# The page has the list of commands as the help prints it.
"$bin/zio" --help | sed -n "/^[A-Z].*:$/,/^'zio help/p" | sed "/^'zio help/d; s/^./    &/" >list
verdict 'zio.1.md: the commands' 'another list' eval \
	'[[ $(<"$tools/man/zio.1.md") == *"$(<list)"* ]]'

# Functions of the library
lib=$tools/libzio
for name in $(grep -oE 'zio_[a-z_0-9]+' "$lib/libzio.map"); do
	has "$tools/man/libzio.3.md" "[ *]$name\\(" "libzio.3.md: $name"
	cat "$lib"/zio*.h >headers
	has headers "^ \\* $name\\(\\) - " "zio.h: $name"
done
done_testing
