# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the table of the benchmark of copies of what the guest printed.
# Usage: awk -v bench=share -f share-table.awk reference.csv MODE=icount RAW...
# Columns are where table.awk has them, up to the tenth. count: outputs.

# What this program and the kernel copy, for each byte of a block: known of these,
# counted by the kernel of the others.
function copies(method, outputs, bytes, counted)
{
	if (method == "share" || method == "route") return counted / bytes
	if (method == "drop") return 0
	if (method == "rw" || method == "uring") return 1 + outputs
	return outputs
}

BEGIN {
	FS = OFS = ","
	print "bench,method,size,blocks,insn_per_block,us_per_block,user_s," \
	      "system_s,mode,count,copied_per_byte,insn_per_output," \
	      "counted_bytes,lost"
}
$1 != "row" || $2 != bench { next }
{
	method = $3; size = $4; n = $5; ns = $6; outputs = $7
	insn = MODE == "icount" ? sprintf("%.1f", ns / n) : ""
	print bench, method, size, n, insn, sprintf("%.4f", ns / n / 1000),
	      $8, $9, MODE, outputs,
	      sprintf("%.3f", copies(method, outputs, n * size, $10)),
	      insn == "" ? "" : sprintf("%.1f", insn / outputs), $10, $11
}
