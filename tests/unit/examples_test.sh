#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The examples in C compile as a user compiles them, with pkg-config and the headers that
# `make install-lib` installs. They run on files that stand for nodes. The documents quote
# them.
set -eu

tree=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/fake-tree.sh"
begin_tests "$@"
page=$tree/Documentation/from-c.md
manual=$tree/tools/man/libzio.3.md

# lines_of PROGRAM: how many lines it has, without its licence
lines_of()
{
	tail -n +2 "examples/$1.c" | wc -l
}

# shows_text PAGE TEXT
shows_text()
{
	[[ $(<"$1") == *"$2"* ]]
}

# quotes PAGE PROGRAM: the page has the program, less its licence and its purpose
quotes()
{
	local code
	code=$(tail -n +3 "examples/$2.c")
	shows_text "$1" '```c'$'\n'"$code"$'\n```'
}

# put_node NAME NUMBERS [NSAMPLES SSIZE]: files that stand for the nodes of an input
put_node()
{
	local seq
	for seq in $2; do
		"$bin/fake-node" "$work/nodes/$1" "$seq" "${3-16}" "${4-1}"
	done
}

make_nodes()
{
	mkdir nodes
	put_node zzero-0000-0-0 "$(seq 0 19)"
	put_node zzero-0000-0-2 "$(seq 0 19)"
	put_file "$devices/zzero-0000/cset0/trigger/period-ns" 1000
	export ZIO_DEV_PATH=$work/nodes
}

# shows STATUS PROGRAM LAST_LINE [ARGUMENT...]
shows()
{
	run "$1" "$2${4+ ${*:4}}" "./examples/$2" "${@:4}"
	cat err >>out
	equal "$(tail -n 1 out)" "$3" "$2${4+ ${*:4}}: its last line"
}

run 0 'the library is installed' make -s -C "$tree/tools" install-lib \
	DESTDIR="$work/root" PREFIX=/opt
cp -r "$tree/examples/c" examples
export PKG_CONFIG_SYSROOT_DIR=$work/root PKG_CONFIG_LIBDIR=$work/root/opt/lib/pkgconfig
export LD_LIBRARY_PATH=$work/root/opt/lib
run 0 'the examples compile' make -s -C examples CC="${CC:-cc} -Werror"
for name in zio zio-group; do
	printf '#include <zio.h>\n#include <%s.h>\n#include <zio/%s.h>\n' $name $name >both.c
	# The flags are words.
	# shellcheck disable=SC2046
	run 0 "<$name.h> is still there" \
		"${CC:-cc}" -Werror -fsyntax-only both.c $(pkg-config --cflags libzio)
done
make_tree
make_nodes
shows 0 list_devices zzero-0001
shows 0 read_blocks 'block 9: 16 bytes, 0 lost before it'
equal "$(cat "$devices"/zzero-0000/cset0/{current_trigger,trigger/{nsamples,period-ns}})" \
	"$(printf 'hrt\n1000\n10000000')" 'read_blocks: what it sets'
shows 0 block_file '100 blocks, 3200 bytes'
shows 0 volts '0.101 V' run.zio
shows 0 many_blocks '100 blocks, 0 lost' run.zio
shows 0 many_blocks '20 blocks, 0 lost'
shows 0 two_boards '1000000019000000042 ns: block block'
run 1 'play_ramp without its output' ./examples/play_ramp
has err 'zzero-1-0: no such channel' 'play_ramp: it says so'
shows 0 two_channels 'zzero-0-2: block 4 of 16 bytes'
for program in volts many_blocks; do
	head -c -3 run.zio >cut.zio
	shows 1 $program "$program: cut.zio: end of file after 29 of the 32 bytes of a block (whole blocks before it: 99)" cut.zio
done
for program in examples/*.c; do
	name=$(basename "$program" .c)
	verdict "$name: the page quotes it" 'it differs' quotes "$page" "$name"
done
loop=$(sed -n '/for (;;)/,/break;/p' examples/volts.c | expand | sed 's/^    //')
verdict 'libzio(3) shows the loop of volts.c' 'it differs' shows_text "$manual" "$loop"
# `while (zio_next() > 0)` takes an error for the end.
verdict 'no text has a loop that ends at an error' 'it has' \
	not grep -rE 'while \(.*zio_next[a-z_]*\([^)]*\)+ *(> *0|== *1)' "$tree/Documentation" \
	"$tree/README.md" "$tree/tools/man" "$tree/tools/libzio" --include=*.md --include=*.h
verdict 'the page quotes the Makefile' 'it differs' \
	shows_text "$page" "$(tail -n +2 examples/Makefile)"
verdict 'list_devices has at most 15 lines' '' [ "$(lines_of list_devices)" -le 15 ]
verdict 'read_blocks has at most 30 lines' '' [ "$(lines_of read_blocks)" -le 30 ]
done_testing
