#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the documents name exists, and what exists is in the lists of the documents.
set -eu

usage='usage: tests/unit/texts_test.sh DIRECTORY_OF_PROGRAMS
Looks for each option, package, page and manual page that README.md and Documentation
name, or must name.'
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=shell-tap.sh disable=SC1091
. "$here/shell-tap.sh"
need_argument "$@"
bin=$(cd "$1" && pwd)
cd "$here/../.."
documents=(README.md Documentation/*.md)
# zio selftest runs another program.
export PATH=$PWD/tools/programs/selftest:$PATH

# commands: the commands in lines of their own and in code, one a line, up to a pipe
commands()
{
	grep -ohE '(^ *([$#] )?|`)(zio|zio-dump|zio-copy|zio-cat-file) [^`|>#]*' \
		"${documents[@]}" | sed -E 's/^ *([$#] )?`?//' | sort -u
}

# help_of PROGRAM [COMMAND]: the help, once
declare -A helps
help_of()
{
	[ -n "${helps[$*]-}" ] || helps[$*]=$("$bin/$1" "${@:2}" --help 2>/dev/null) || :
	help=${helps[$*]-}
}

# check_command PROGRAM WORD...: the help of the program has each option
check_command()
{
	local word
	if [ "$1" = zio ] && [[ $2 != -* ]]; then
		help_of "$1" "$2"
	else
		help_of "$1"
	fi
	for word; do
		case $word in --[a-z]*) ;; *) continue ;; esac
		word=${word%%[=,.;:]*}
		grep -q -e "$word\b" <<<"$help" || missing="$missing; $* ($word)"
	done
}

test_options()
{
	local missing='' n=0 line words
	while read -r line; do
		read -ra words <<<"$line"
		[ ${#words[@]} -gt 1 ] || continue
		check_command "${words[@]}"
		n=$((n + 1))
	done < <(commands)
	[ -z "$missing" ] || echo "# no such option: ${missing#; }"
	[ -z "$missing" ] && [ $n -gt 20 ] && result ok "options in $n commands" ||
		result bad "options in $n commands"
}

# expect_all TEXT FILE NAME...: the file has each name
expect_all()
{
	local text=$1 file=$2 name missing=''
	shift 2
	for name; do
		grep -qF -e "$name" "$file" || missing="$missing $name"
	done
	[ -z "$missing" ] || echo "# $file lacks$missing"
	[ -z "$missing" ] && [ $# -gt 5 ] && result ok "$text" || result bad "$text"
}

# listed DIRECTORY: what `ls DIRECTORY` shows in the tutorial
listed()
{
	sed -n "\\|\$ ls $1\$|,/^\$ e/p" Documentation/two-boards-one-clock.md |
		grep -v '^\$' | tr -s ' ' '\n' | grep . | sort
}

# expect_listing TEXT DIRECTORY PATTERN: the listing has the files of the reference
expect_listing()
{
	local wanted
	wanted=$(sed -nE "s#^What:.*/config/zio/$3/NAME/([a-z-]+)\$#\\2#p" \
		Documentation/ABI/testing/configfs-zio | sort)
	if [ "$(listed "$2")" = "$wanted" ]; then
		result ok "$1"
	else
		diff <(listed "$2") <(echo "$wanted") | sed 's/^/# /' || :
		result bad "$1"
	fi
}

test_options
expect_listing "files of a board in the tutorial" devices/zzero/west \
	'devices/(DRIVER|TYPE|zzero)'
expect_listing "files of a clock in the tutorial" triggers/hrt/clock0 'triggers/(TYPE|hrt)'
mapfile -t packages < <(sed -n 's/^Package: \(.*\)/\1/p' debian/control)
expect_all "packages in the table" Documentation/install.md "${packages[@]/#/| \`}"
sed -n '/apt-get purge/,/^$/p' Documentation/install.md >"$(dirname "$bin")/purge"
expect_all "packages that are removed" "$(dirname "$bin")/purge" "${packages[@]/#/ }"
rm "$(dirname "$bin")/purge"
# Packages with the symbols for a debugger are of no use to most.
verdict 'the line that installs packages: no -dbgsym' 'another line' \
	grep -qF 'ls ./results/deb/*.deb | grep -v dbgsym' Documentation/install.md
verdict 'the driver guide explains the five arguments of an attribute' 'it does not' \
	grep -qF 'The five arguments are the name of the file' Documentation/driver-guide.md
contents=Documentation/contents.md
mapfile -t pages < <(cd Documentation && printf '](%s)\n' *.md | grep -v contents)
expect_all "pages in $contents" $contents "${pages[@]}"
expect_all "manual pages in $contents" $contents tools/man/*.md
done_testing
