#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The udev rule makes a short name of each node of a device with number 0, and no other.
set -eu

usage='usage: tests/unit/udev_test.sh FILE_OF_RULES
Runs the program of the rule as udev does.'
# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/shell-tap.sh"
need_argument "$@"
program=$(sed -n "s/.*PROGRAM=\"\/bin\/sh -c '\(.*\)'\".*/\1/p" "$1" |
	sed -e 's/\$\$/$/g' -e 's/%%/%/g')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# short NODE NAME: udev replaces %k by the node
short()
{
	run 0 "$1 has a short name" /bin/sh -c "${program//%k/$1}"
	has out "^$2\$" "$1 is $2"
}

# long NODE: PROGRAM fails, so the rule makes no link
long()
{
	run 1 "$1 has no short name" /bin/sh -c "${program//%k/$1}"
}

short zzero-0000-0-2-ctrl zzero-0-2-ctrl
short adc-100m14b-0000-10-0-data adc-100m14b-10-0-data
short adc-100m14b-0000-0-i-ctrl adc-100m14b-0-i-ctrl
short a-0-0000-1-0-data a-0-1-0-data
short a-0000-b-0000-0-1-data a-0000-b-0-1-data
short zzero-0000-0-ctrl zzero-0-ctrl
long a-0000-b-0007-0-1-data
long a-0000-b-0007-0-ctrl
done_testing
