#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# host-root
# kernel-module: zio-trig-timer
# not kasan: the interpreter of the host takes minutes there
#
# zio-nexus records aligned events of two channels, and begins another file each few
# seconds. No event is lost between two files.
. "${0%/*}/lib.sh"

one=zzero-0000-0-1
two=zzero-0000-0-2
trigger=$cset0/trigger
# A directory that the programs of the host and of the guest have
work=/host/tmp/group
nexus="zio-host env PYTHONDONTWRITEBYTECODE=1 $ZIO_TREE/tools/nexus/zio-nexus"
python="zio-host env PYTHONDONTWRITEBYTECODE=1 python3 -c"

prepare()
{
	zio-load zio-trig-timer &&
	echo 0 >$cset0/enable && echo 0 >$cset0/chan0/enable &&
	echo 500 >$cset0/chan1/buffer/max-buffer-len &&
	echo 500 >$cset0/chan2/buffer/max-buffer-len &&
	echo timer >$cset0/current_trigger &&
	echo 32 >$trigger/nsamples && echo 20 >$trigger/period-ms
}

has_files()
{
	[ -e $work/run-000"$1".nxs ]
}

mkdir -p $work
check "two channels, 50 blocks a second" prepare
$nexus --group $one $two -o /tmp/group/run.nxs --rotate-time=2s --limit=5000 --json \
	>/tmp/json 2>/tmp/err &
recorder=$!
check "the recorder has both channels" wait_until 120 sh -c \
	"ls -l /proc/[0-9]*/fd 2>/dev/null | grep -q $two-ctrl"
echo 1 >$cset0/enable
check "it begins a fourth file" wait_until 120 has_files 4
echo 0 >$cset0/enable
kill -INT $recorder
status=0
wait $recorder || status=$?
is "Ctrl-C ends it" $status 130
diag "$(cat /tmp/err)"
for file in $work/run-*.nxs; do
	capture $nexus verify /tmp/group/"${file##*/}"
	is "verify ${file##*/}" $status 0
done
capture $python "
import glob, h5py
numbers = []
for path in sorted(glob.glob('/tmp/group/run-*.nxs')):
    entry = h5py.File(path)['entry']
    events, parts = entry['events'], [entry['$one'], entry['$two']]
    assert list(events.attrs['channels']) == ['$one', '$two']
    rows = events['block'][()]
    assert (rows >= 0).all(), rows
    seq = [part['control']['seq_num'][rows[:, i]] for i, part in enumerate(parts)]
    assert (seq[0] == seq[1]).all()
    stamp = [part['control']['tstamp']['ticks'][rows[:, i]] for i, part in enumerate(parts)]
    assert (stamp[0] == stamp[1]).all()
    numbers += seq[0].tolist()
assert numbers == list(range(numbers[0], numbers[0] + len(numbers))), numbers
print('good' if len(numbers) > 100 else len(numbers))"
is "each event has both blocks, and the next file has the next event" "$said" good
is "the kernel has lost nothing" "$(cat $cset0/chan[12]/statistics/lost_blocks | xargs)" "0 0"
done_testing
