#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# zio export prints what the parser of Prometheus reads.
set -eu

# shellcheck source-path=SCRIPTDIR disable=SC1091
. "$(dirname "$0")/fake-tree.sh"
begin_tests "$@"
zio=$bin/zio

# parsed: the samples of out, as prometheus_client reads them, sorted
parsed()
{
	/usr/bin/python3 - out <<-'END' | sort
		import sys
		from prometheus_client.parser import text_fd_to_metric_families
		for family in text_fd_to_metric_families(open(sys.argv[1])):
		    assert family.type in ("counter", "gauge") and family.documentation
		    for sample in family.samples:
		        labels = ",".join(f"{k}={v}" for k, v in sample.labels.items())
		        print(family.type, sample.name, repr(labels), int(sample.value))
	END
}

test_format()
{
	run 0 'export' "$zio" export --prometheus zzero-0000
	if ! /usr/bin/python3 -c 'import prometheus_client' 2>/dev/null; then
		result ok 'export: # SKIP no python3-prometheus-client'
		return
	fi
	parsed >samples
	has samples "^counter zio_channel_blocks_total 'device=zzero-0000,cset=0,channel=1,direction=input' 100$" \
		'export: blocks'
	has samples "^counter zio_channel_lost_blocks_total .*channel=1.* 3$" \
		'export: losses'
	has samples '^gauge zio_channel_queued_blocks .*channel=1.* 5$' 'export: queue'
	has samples "^counter zio_cset_fired_total 'device=zzero-0000,cset=0,direction=input' 100$" \
		'export: triggers'
	lacks samples zzero-0001 'export: pattern'
	echo 'a"b\c' >"$ZIO_SYSFS/bus/zio/devices/zzero-0000/cset0/name"
	run 0 'export: escapes' "$zio" export
	parsed >samples
	has samples 'name=a"b\\\\c,' 'export: quotes and backslashes are escaped'
	has samples zzero-0001 'export: all devices'
}

test_file()
{
	run 0 'export: a file' "$zio" export -o zio.prom
	"$zio" export >wanted
	same zio.prom wanted 'export: a file: as standard output'
	equal "$(stat -c %a zio.prom)" 644 'export: a file: others may read it'
	ln zio.prom old
	run 0 'export: the file again' "$zio" export -o zio.prom zzero-0000
	same old wanted 'export: a reader of the old file keeps it whole'
	equal "$(ls zio.prom*)" zio.prom 'export: nothing else is left'
	run 1 'export: no directory' "$zio" export -o none/zio.prom
	has err 'none/zio.prom: .*its directory does not exist' \
		'export: no directory, with a reason'
	run 1 'export: nothing matches' "$zio" export -o zio.prom nothing
	has zio.prom zzero-0000 'export: the file stays'
	run 1 'export: disk full' bash -c "'$zio' export >/dev/full"
}

make_tree
test_format
test_file
done_testing
