# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the table of one benchmark of what the guest printed.
# Usage: awk -v bench=NAME -f table.awk reference.csv MODE=icount RAW...

function key(method, size) { return mode[n] SUBSEP method SUBSEP size }

# The null pipe that does the same work as this method.
function null_of(m)
{
	if (bench == "wiki") return "dd-null-random"
	if (m == "write" || m == "null-write") return "null-write"
	return m ~ /random/ ? "null-random" : "null-zero"
}

function ratio(each, floor)
{
	return each != "" && floor > 0 ? sprintf("%.3f", each / floor) : ""
}

# What a request costs more than a plain read() of the same size.
function over_read(    plain)
{
	plain = seen[key("read", size[n]), count[n]]
	return bench == "aio-2001" && plain > 0 ? \
		sprintf("%.2f", (each[n] / plain - 1) * 100) : ""
}

BEGIN { FS = ","; OFS = "," }
FILENAME ~ /reference\.csv$/ {
	if ($1 == bench) {
		what[$2, $3, $4] = $5
		size_of[$2, $3, $4] = $6
	}
	next
}
$1 == "row" && $2 == bench {
	n++
	mode[n] = MODE; method[n] = $3; size[n] = $4; blocks[n] = $5
	ns[n] = $6; count[n] = $7; kib[n] = $8
	each[n] = ns[n] != "" ? ns[n] / blocks[n] : ""
	seen[key($3, $4)] = seen[key($3, $4), $7] = each[n]
}
END {
	print "bench,method,size,blocks,insn_per_block,us_per_block," \
	      "ratio_urandom,ratio_null,mode,count,kib,reference," \
	      "percent_over_read"
	total = n
	for (n = 1; n <= total; n++) {
		m = method[n]
		s = size[n]
		random = seen[key(bench == "wiki" ? "dd-urandom" : "urandom", s)]
		null = seen[key(null_of(m), s)]
		reference = what[m, s, count[n]] size_of[m, s, count[n]] \
			size_of[m, s, ""]
		if (bench == "register" && reference != "")
			reference /= count[n]
		insn = mode[n] == "icount" && each[n] != "" ? \
			sprintf("%.1f", each[n]) : ""
		us = each[n] != "" ? sprintf("%.4f", each[n] / 1000) : ""
		print bench, m, s, blocks[n], insn, us, ratio(each[n], random),
		      ratio(each[n], null), mode[n], count[n], kib[n],
		      mode[n] == "icount" ? reference : "",
		      over_read()
	}
}
