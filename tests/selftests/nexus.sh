#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# host-root
# not kasan: the interpreter of the host takes minutes there
#
# zio-nexus records the sawtooth of zio-zero by the control ring, while the channel loses
# blocks. Every loss is in the file, and the counts are those of the kernel.
. "${0%/*}/lib.sh"

name=zzero-0000-0-2
channel=$cset0/chan2
trigger=$cset0/trigger
# A directory that the programs of the host and of the guest have
work=/host/tmp/nexus
nexus="zio-host env PYTHONDONTWRITEBYTECODE=1 $ZIO_TREE/tools/programs/nexus/zio-nexus"
python="zio-host env PYTHONDONTWRITEBYTECODE=1 python3 -c"

stat_of()
{
	cat "$channel/statistics/$1"
}

prepare()
{
	zio-load zio-buf-vmalloc && zio-load zio-trig-hrt &&
	echo 0 >$cset0/chan0/enable && echo 0 >$cset0/chan1/enable &&
	echo vmalloc >$cset0/current_buffer &&
	echo 0 >$cset0/enable && echo hrt >$cset0/current_trigger &&
	echo 1024 >$trigger/nsamples && echo "$1" >$trigger/period-ns
}

is_open()
{
	ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q "$name-ctrl"
}

open_channel()
{
	wait_until 60 eval 'is_open || [ ! -e /proc/$recorder/exe ]' && is_open
}

has_lost()
{
	[ "$(stat_of lost_blocks)" -ge "$1" ] && [ "$(stat_of blocks)" -ge 3000 ]
}

# The recorder tells each second how many blocks it has.
has_all()
{
	[ "$(sed -n 's/^zio-nexus: \([0-9]*\) blocks.*/\1/p' /tmp/err | tail -n 1)" = \
		"$(stat_of blocks)" ]
}

has_more()
{
	[ "$(stat_of blocks)" -ge "$1" ]
}

# The last loss shows in the sequence number of a block behind it.
fire_slowly()
{
	wait_until 60 has_all || return
	echo 100000000 >$trigger/period-ns
	more=$(($(stat_of blocks) + 3))
	echo 1 >$cset0/enable
	wait_until 20 has_more $more || return
	echo 0 >$cset0/enable
	wait_until 20 has_all
}

stop_recorder()
{
	kill -INT $recorder
	status=0
	wait $recorder || status=$?
}

mkdir -p $work
check "blocks of 1 KiB, as fast as the timer" prepare 20000
$nexus $name -o /tmp/nexus/run.nxs --method=ring --progress --json >/tmp/json 2>/tmp/err &
recorder=$!
diag "$(cat /tmp/err)"
check "the recorder has the channel" open_channel
if [ $status -ne 0 ]; then
	diag "$(cat /tmp/err)"
	kill $recorder
	done_testing
fi
echo 1 >$cset0/enable
check "blocks are lost" wait_until 60 has_lost 10
echo 0 >$cset0/enable
check "blocks that follow the last loss" fire_slowly
diag "kernel: $(stat_of blocks) blocks; recorder: $(tail -n 1 /tmp/err)"
stop_recorder
is "Ctrl-C ends it" $status 130
diag "$(cat /tmp/err)"
is "it has all blocks that the kernel has given" \
	"$(sed -n 's/^  "blocks": \(.*\),/\1/p' /tmp/json)" "$(stat_of blocks)"
is "it knows all losses" \
	"$(sed -n 's/^  "lost": \(.*\),/\1/p' /tmp/json)" "$(stat_of lost_blocks)"
capture $nexus verify --live /tmp/nexus/run.nxs
diag "$said"
is "verify: blocks are missing, and nothing else" $status 4
is "no part of the file contradicts another" "$(echo "$said" | grep FAULT)" ""
is "verify agrees with the kernel" "$(echo "$said" | grep -c 'they agree')" 1
capture $python "
import h5py, numpy
channel = h5py.File('/tmp/nexus/run.nxs')['entry/$name']
data = channel['data'][()]
assert data.shape[1] == 1024, data.shape
assert (numpy.diff(data.astype('u1').astype(int), axis=1) % 256 == 1).all()
breaks = channel['breaks'][()]
losses = breaks[breaks['lost'] > 0]
seq = channel['control']['seq_num'].astype(int)
steps = numpy.diff(seq) - 1
assert losses['lost'].sum() == steps.sum() == $(stat_of lost_blocks)
assert (losses['block'] == numpy.flatnonzero(steps) + 1).all()
print('good')"
is "the sawtooth is in the file, and every loss" "$said" good
check "back to a block file" $nexus cat /tmp/nexus/run.nxs -o /tmp/nexus/run.zio
is "zio-dump reads it" "$(zio-dump -c /host/tmp/nexus/run.zio 2>/dev/null |
	grep -c ': block ')" "$(stat_of blocks)"

# first_of OPTION...: the number of the first block of a recording
first_of()
{
	$nexus -q -n 1 "$@" $name -o /tmp/nexus/first.csv --force 2>/tmp/err &&
		sed -n '2s/^[^,]*,\([0-9]*\),.*/\1/p' $work/first.csv
}

# The buffer is full of blocks that nobody has read, and a hundred were lost behind them.
echo 1000000 >$trigger/period-ns
check "the trigger fires" write_file $cset0/enable 1
check "a full buffer" wait_until 60 has_lost $(($(stat_of lost_blocks) + 100))
next=$(($(stat_of blocks) + $(stat_of lost_blocks)))
oldest=$(first_of --queued)
newer=$(first_of)
is "a recording begins with new blocks" "$([ "$newer" -gt "$oldest" ] && echo newer)" newer
is_between "and with those that wait by --queued" "$oldest" 0 $((next - 100))
echo 0 >$cset0/enable

done_testing
