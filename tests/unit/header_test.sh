#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Each header for programs compiles alone, in C and C++, and nothing changes its layout.
set -eu

usage='usage: tests/unit/header_test.sh DIRECTORY_OF_HEADERS
Compiles each header in DIRECTORY_OF_HEADERS/linux alone.'
# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/shell-tap.sh"
need_argument "$@"
headers=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# compile LANGUAGE FLAG...: ./program, with all warnings
compile()
{
	local language=$1

	shift
	"${CC:-cc}" -x "$language" -Wall -Wextra -Werror -I"$headers" "$@" -fsyntax-only program
}

for header in "$headers"/linux/*.h; do
	name=linux/${header##*/}
	echo "#include <$name>" >program
	for dialect in c90 gnu90 c11 c++98 c++17; do
		language=c
		[ "${dialect#c++}" = "$dialect" ] || language=c++
		run 0 "$name: $dialect" compile "$language" "-std=$dialect" -pedantic
	done
	cp "$header" text
	lacks text '\b(u?int(8|16|32)|int64)_t\b' "$name: has the types of <linux/types.h>"
	lacks text '__u64' "$name: 64 bits are uint64_t"
done

# A program for ZIO 1.x has pointers to fields, and prints them by the macros of C99.
cat >program <<'END'
#include <inttypes.h>
#include <stdio.h>
#include <linux/zio-user.h>

uint64_t *secs_of(struct zio_control *control, struct zio_ring_header *ring,
		  struct zio_dmabuf *area)
{
	uint8_t *version = &control->major_version;
	uint16_t *ssize = &control->ssize;
	uint32_t *number = &control->seq_num;
	uint64_t *fields[] = { &control->tstamp.ticks, &control->tstamp.bins,
			       &ring->lost, &ring->data_size, &area->offset, &area->size };
	int32_t *fd = &area->fd;

	printf("%u %u %" PRIu32 " %" PRId32 " %" PRIu64 "\n", *version, *ssize, *number, *fd,
	       **fields);
	return &control->tstamp.secs;
}
END
run 0 'C: fields have the types of ZIO 1.x' compile c
run 0 'C++: fields have the types of ZIO 1.x' compile c++

sed -i 's/zio-user.h/zio.h/' program
run 0 'linux/zio.h is the same for programs' compile c

# A macro of the command line may end the compilation, and does not change the ABI.
echo '#include <linux/zio-user.h>' >program
run 1 'ZIO_OBJ_NAME_LEN is no option' compile c -DZIO_OBJ_NAME_LEN=16
cat >program <<'END'
#include <linux/zio-user.h>
typedef char is_512[sizeof(struct zio_control) == 512 ? 1 : -1];
END
run 0 'ZIO_OBJ_NAME_LEN leaves the control alone' \
	compile c -Wno-error -DZIO_OBJ_NAME_LEN=16

# The check is in the header: a control of another size does not compile.
sed 's/\(ZIO_OBJ_NAME_LEN\) 12$/\1 16/' "$headers/linux/zio-user.h" >program
run 1 'a control of another size does not compile' compile c
has err 'is_right' 'the check of the size tells it'
done_testing
