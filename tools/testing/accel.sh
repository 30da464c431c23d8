# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Which accelerator QEMU can use here. Sourced by vm, after common.sh.
#
# That /dev/kvm opens tells little: inside some clouds a kernel starts under it
# and never gets far. So one is booted, once per boot of this machine.

probe_image()
{
	mkdir -p "$1/bin"
	cp "$(command -v busybox)" "$1/bin/busybox"
	printf '#!/bin/busybox sh\necho kvm-works\n/bin/busybox reboot -f\n' >"$1/init"
	chmod +x "$1/init"
	(cd "$1" && find . | cpio -o -H newc --quiet) >"$1.cpio"
}

# probe_kvm KERNELDIR WORKDIR
probe_kvm()
{
	probe_image "$2/probe"
	timeout -k 2 10 qemu-system-x86_64 -accel kvm -cpu host -m 256 \
		-nodefaults -display none -no-reboot -serial stdio \
		-kernel "$1/vmlinuz" -initrd "$2/probe.cpio" \
		-append "console=ttyS0 panic=-1" </dev/null 2>/dev/null |
		grep -q kvm-works
}

# can_use_kvm KERNELDIR WORKDIR
can_use_kvm()
{
	local known
	[ -r /dev/kvm ] && [ -w /dev/kvm ] || return 1
	known=$cache/kvm/$(cat /proc/sys/kernel/random/boot_id 2>/dev/null || echo any)-${1##*/}
	if [ ! -e "$known" ]; then
		mkdir -p "$cache/kvm"
		say "trying KVM"
		if probe_kvm "$1" "$2"; then
			echo yes >"$known"
		else
			say "KVM does not work here: software emulation from now on"
			echo no >"$known"
		fi
	fi
	[ "$(cat "$known")" = yes ]
}
