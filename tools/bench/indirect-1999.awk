# SPDX-License-Identifier: GPL-2.0-only
#
# Fits "so much per block and so much per byte" to the table of indirect-1999.
# Usage: awk -f indirect-1999.awk table.csv

function fit(m,    d)
{
	d = n[m] * sxx[m] - sx[m] * sx[m]
	slope[m] = (n[m] * sxy[m] - sx[m] * sy[m]) / d
	block[m] = (sy[m] - slope[m] * sx[m]) / n[m]
}

# Least squares over the volume: x is the number of blocks, y is what all cost.
BEGIN { FS = "," }
FNR == 1 || $9 != "icount" { next }
{
	m = $2; x = $4; y = $5 * $4
	volume = $3 * $4
	n[m]++; sx[m] += x; sy[m] += y; sxx[m] += x * x; sxy[m] += x * y
	if (!(m in order)) { order[m] = ++methods; name[methods] = m }
}
END {
	print "# A fixed volume in blocks of 4 KiB to 4 MiB\n"
	print "Instructions, fitted: so much per block, so much per KiB.\n"
	print "| method | per block | per KiB |"
	print "|---|---|---|"
	for (i = 1; i <= methods; i++) {
		m = name[i]
		fit(m)
		kib[m] = block[m] / volume * 1024
		printf "| %s | %.0f | %.1f |\n", m, slope[m], kib[m]
	}
	copy = kib["read"] - kib["drop"]
	printf "\nTo copy a KiB costs %.1f; it costs more than all the rest of a ", copy
	printf "block (%.0f) from %.1f KiB on.\n\n", slope["drop"], slope["drop"] / copy
	print "Gilbert 1999, K6-2 300 MHz, 200 MiB of a disk's cache: 1.267 ms per"
	print "command and 6.65 s for the volume; with the copy to the user 1.264 ms and"
	print "9.25 s. A copy cost more than all the rest from about 100 KiB on."
}
