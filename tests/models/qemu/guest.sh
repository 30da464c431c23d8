#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# guest.sh - use the emulated card with no driver, inside the virtual machine
#
# Usage: guest.sh ADDRESS
#
# ADDRESS: memory that the kernel leaves alone, for DMA. Prints what it sees; test_vm.py
# knows what that should be.
set -eu

target=$1
for card in /sys/bus/pci/devices/*; do
	[ "$(cat "$card/vendor") $(cat "$card/device")" != "0x10dc 0x0011" ] ||
		break
done
read -r base _ flags <"$card/resource"

# An I/O BAR is read and written by its file, a memory BAR by /dev/mem.
is_io()
{
	[ $((flags & 0x100)) -ne 0 ]
}

rd()
{
	if is_io; then
		dd if="$card/resource0" bs=4 skip=$(($1 / 4)) count=1 2>/dev/null |
			od -An -tx4 | tr -d ' '
	else
		devmem $((base + $1)) 32 | sed 's/^0x//' | tr A-F a-f
	fi
}

# The four bytes of a number, as printf wants them.
bytes()
{
	for shift in 0 8 16 24; do
		printf '\\%03o' $(($1 >> shift & 255))
	done
}

wr()
{
	if is_io; then
		# shellcheck disable=SC2059
		printf "$(bytes "$2")" | dd of="$card/resource0" bs=4 \
			seek=$(($1 / 4)) conv=notrunc 2>/dev/null
	else
		devmem $((base + $1)) 32 $(($2))
	fi
}

show()
{
	printf '%s: %s\n' "$1" "$2"
}

word_at()
{
	devmem $((target + 4 * $1)) 32
}

# Memory, I/O, bus master.
printf '\007\000' | dd of="$card/config" bs=1 seek=4 conv=notrunc 2>/dev/null
show idle "$(rd 0x3c)"
wr 0x00 0x01000003
until [ "$(slink-bench link)" = ready ]; do :; done
show lines "$(rd 0x1c)"
wr 0x00 0x01000007
show link "$(slink-bench link)"
slink-bench mode=single size=1030 trigger=1
show begin "$(rd 0x20)"
show waiting "$(rd 0x1c)"
wr 0x38 0x00005f00
wr 0x24 "$target"
wr 0x28 4096
wr 0x3c 0x400
wr 0x00 0x03000007
until [ "$(slink-bench irq)" = 1 ] && [ "$(slink-bench stops)" = 2 ]; do :; done
show status "$(rd 0x38)"
show count "$(rd 0x28)"
show first "$(word_at 0)"
show last "$(word_at 1023)"
for i in 0 1 2 3 4 5; do
	show over "$(rd 0x20)"
done
wr 0x00 0x01000007
show end "$(rd 0x20)"
show empty "$(rd 0x3c)"
show counted "$(slink-bench events pops dma-words completes faults | tr '\n' ' ')"
