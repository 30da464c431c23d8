# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# The file system of the virtual machine, made anew for each boot: busybox, the
# modules, the tools, what --add asked for. Sourced by vm, after common.sh.

# copy_sources DIR: of what the tools are made of, the files newer than there.
copy_sources()
{
	# An older build has a program where there is a folder now.
	[ ! -f "$1/tools/zio" ] || rm -r "$1/tools"
	mkdir -p "$1"
	(cd "$root" && find tools include/uapi \
		\( -path tools/testing -o -path tools/bench \) -prune -o -type f \
		\( -name '*.[ch]' -o -name Makefile -o -name '*.mk' \
		-o -name '*.map' -o -name '*.in' -o -name '*.md' \) -print |
		cpio -pdm --quiet "$1" 2>/dev/null)
}

# The checkout keeps its own build of the tools: these are static ones, apart.
make_tools()
{
	local log=$1.log

	copy_sources "$1"
	if ! make -C "$1/tools" STATIC=1 all >"$log" 2>&1; then
		cat "$log" >&2
		die "the tools do not build"
	fi
}

build_tools()
{
	local dir
	dir=$cache/tools/$(printf '%s' "$root" | cksum | cut -d' ' -f1)
	mkdir -p "$cache/tools"
	run_locked "$dir.lock" make_tools "$dir" >&2
	printf '%s\n' "$dir/tools"
}

# add_libraries IMAGE PROGRAM: the shared libraries and the loader it asks for.
add_libraries()
{
	local library
	ldd "$2" 2>/dev/null | grep -oE '/[^ ]+' | while read -r library; do
		[ -e "$1$library" ] && continue
		mkdir -p "$1$(dirname "$library")"
		cp -L "$library" "$1$library"
	done
}

# add_file IMAGE FILE[:GUESTPATH]
add_file()
{
	local file=$2 to=

	if [ ! -e "$file" ] && [ "$file" != "${file%:*}" ]; then
		to=${file##*:}
		file=${file%:*}
	fi
	[ -e "$file" ] || die "--add: there is no $file"
	case $to in
	'') to=/root/$(basename "$file") ;;
	*/) to=/${to#/}$(basename "$file") ;;
	*) to=/${to#/} ;;
	esac
	mkdir -p "$1$(dirname "$to")"
	cp -RLT --preserve=mode,timestamps "$file" "$1$to"
	find "$1$to" -type f -perm -u+x | while read -r file; do
		add_libraries "$1" "$file"
	done
}

# add_modules IMAGE KERNELDIR MODULES_DIR NAME...: the modules of ZIO from
# MODULES_DIR (if empty, they are built), and by name those of the kernel, with
# all that they need.
add_modules()
{
	local image=$1 kernel=$2 ours=$3 release tree name path
	shift 3
	release=$(cat "$kernel/release")
	tree=$image/lib/modules/$release

	mkdir -p "$tree/zio"
	if [ -n "$ours" ]; then
		copy_modules "$ours" "$tree/zio"
	else
		build_modules "$kernel" copy_modules "$tree/zio" >/dev/null
	fi
	cp "$kernel/lib/modules/$release"/modules.builtin* \
		"$kernel/lib/modules/$release/modules.order" "$tree/"
	for name; do
		show_dependencies "$kernel" "$release" "$name" | while read -r path; do
			mkdir -p "$image$(dirname "$path")"
			cp -L "$kernel$path" "$image$path"
		done
	done
	depmod -b "$image" "$release"
}

copy_modules()
{
	find "$1" -name '*.ko' -exec cp {} "$2/" \;
}

show_dependencies()
{
	/sbin/modprobe -d "$1" -S "$2" --show-depends "$3" 2>/dev/null |
		sed -n "s,^insmod $1\(/[^ ]*\).*,\1,p" ||
		die "kernel $2 has no module $3"
}

# add_base IMAGE: the programs and scripts that every boot has.
add_base()
{
	local busybox program tools dash
	busybox=$(command -v busybox)
	dash=$(command -v dash)
	mkdir -p "$1/bin" "$1/usr/bin" "$1/usr/sbin" "$1/root" "$1/etc/zio-vm"
	cp "$busybox" "$1/bin/busybox"
	cp "$testing/guest/init" "$1/init"
	# The shell of busybox runs its own dd, whatever PATH says.
	add_file "$1" "$(readlink -f "$dash"):/bin/dash"
	ln -s dash "$1/bin/sh"
	for program in "$testing"/guest/zio-*; do
		cp "$program" "$1/usr/sbin/"
	done
	tools=$(build_tools)
	cp "$tools"/bin/* "$1/usr/bin/"
	printf 'root:x:0:0:root:/root:/bin/sh\n' >"$1/etc/passwd"
	printf 'root:x:0:\n' >"$1/etc/group"
}

# Not compressed: the emulated processor takes longer to unpack than to load.
pack_image()
{
	(cd "$1" && find . | cpio -o -H newc -R +0:+0 --quiet) >"$2"
}
