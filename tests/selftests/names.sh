#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Names that programs for ZIO 1.x use: hyphens in names of devices, sets by their names,
# the channel "i" of an interleaved set; and an area that changes its size while a stream
# runs.
. "${0%/*}/lib.sh"

boards=/sys/kernel/config/zio/devices/zzero
devices=/sys/bus/zio/devices

# make_board DIRECTORY NAME [FILE VALUE]...
make_board()
{
	board=$boards/$1
	mkdir "$board" && echo "$2" >"$board/device-name" && echo 0 >"$board/id" || return
	shift 2
	while [ $# -gt 0 ]; do
		echo "$2" >"$board/$1" || return
		shift 2
	done
	echo 1 >"$board/live"
}

test_hyphens()
{
	check "a device with the name of a board" make_board adc adc-100m14b channels 4 \
		interleaved 1 pattern channel nsamples 4
	for node in 0-ctrl 0-data i-ctrl i-data; do
		check "it has the node $node" test -c /dev/zio/adc-100m14b-0000-0-$node
	done
	check "ZIO 1.x has this path" test -d /sys/zio/devices/adc-100m14b/cset0/chani/buffer
	is "dd reads the channel i" \
		"$(head -c 8 /dev/zio/adc-100m14b-0000-0-i-data | od -An -tx1)" \
		" 00 01 02 03 00 01 02 03"
	for name in adc-100m14b-0-0 adc-100m14b/0/i adc-100m14b-0-i adc-100m14b/0/chani \
		/dev/zio/adc-100m14b-0000-0-i-data; do
		check "zio-dump reads $name" sh -c \
			"zio-dump -n 1 $name | grep adc-100m14b-0000-0-0"
	done
	is "zio finds an attribute of one channel" \
		"$(zio set adc-100m14b/0/2 next-sample=9 && zio get adc-100m14b/0/2/next-sample)" 9
	is "it is no channel with nodes" "$(zio list | grep -c 'adc-100m14b.*chan2')" 0
}

test_ambiguous_names()
{
	check "a device with a short name" make_board a a
	check "a device with the name of its set" make_board a-0 a-0
	for node in a-0000-0-1 a-0-0000-0-1; do
		is "$node is one channel" "$(zio get $node/address)" $node
	done
	is "a-0-0-1 is of a-0" "$(zio get a-0-0-1/address)" a-0-0000-0-1
	is "a-0-1 is of a" "$(zio get a-0-1/address)" a-0000-0-1
	is "a-0/0/1 is of a-0" "$(zio get a-0/0/1/address)" a-0-0000-0-1
	for name in a-0000 -a a- Adc a.b abc-defg-hij; do
		mkdir $boards/wrong
		echo "$name" >$boards/wrong/device-name
		expect_write_errno "the name $name" EINVAL $boards/wrong/live 1
		rmdir $boards/wrong
	done
}

test_sets()
{
	is "a set has a link of its name" "$(readlink $zzero/zero-output)" cset1
	is "files are there by the name" "$(cat $zzero/zero-output/direction)" output
	check "a device with many sets of one name" make_board many zmany csets 4
	is "the first has the link" "$(readlink $devices/zmany-0000/zero-input)" cset0
	is "the kernel tells it" "$(dmesg | grep -c 'zmany-0000: 3 sets have no link')" 1
}

test_sources()
{
	source=$zzero/cset1/chan0/buffer/source
	expect_errno "channel i of a set that is not interleaved" ENODEV \
		write_file $source zzero-0000-0-i
	expect_errno "a word as a channel" EINVAL write_file $source zzero-0000-0-j
	check "channel i as a source" write_file $source adc-100m14b-0000-0-i
	is "the source is channel 0" "$(cat $source)" adc-100m14b-0000-0-0
	check "no source" write_file $source none
	check "the source of a device with hyphens" write_file $source a-0-0000-0-1
	is "the source has the name" "$(cat $source)" a-0-0000-0-1
	check "no source again" write_file $source none
}

test_area()
{
	zio-load zio-buf-vmalloc
	check "a stream" make_board stream zstream stream 4 delay-us 1000 channels 1 \
		pattern sawtooth
	set=$devices/zstream-0000/cset0
	check "its blocks are in an area" write_file $set/current_buffer vmalloc
	cat /dev/zio/zstream-0000-0-0-data >/dev/null &
	reader=$!
	for kb in 64 512 8 128 4 256; do
		check "$kb KiB while the stream runs" \
			write_file $set/chan0/buffer/max-buffer-kb $kb
	done
	before=$(cat $set/chan0/statistics/blocks)
	check "the stream goes on" wait_until 10 \
		sh -c "[ \$(cat $set/chan0/statistics/blocks) -gt $((before + 10)) ]"
	kill $reader
	wait $reader 2>/dev/null
}

test_hyphens
test_ambiguous_names
test_sets
test_sources
test_area
check "all boards are removed" rmdir $boards/*/
done_testing
