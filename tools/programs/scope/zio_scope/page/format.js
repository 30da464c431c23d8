// SPDX-License-Identifier: GPL-2.0-only
// Numbers and names for people.

const PREFIXES = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "\u00b5"],
	[1e-9, "n"], [1e-12, "p"]];

// Units that take an SI prefix
const SCALED = new Set(["V", "A", "s", "Hz", "W", "Pa", "T", "C", "g", "m", "N", "F", "H"]);

export function digits(value) {
	if (Number.isInteger(value) && Math.abs(value) < 1e15)
		return String(value);
	return String(Number(value.toPrecision(6))); // toPrecision() alone keeps trailing zeros
}

export function quantity(value, unit) {
	if (value === null || value === undefined || !Number.isFinite(value))
		return "\u2013";
	if (!SCALED.has(unit) || value === 0)
		return unit ? `${digits(value)} ${unit}` : digits(value);
	const size = Math.abs(value) * (1 + 1e-9);
	const [factor, prefix] = PREFIXES.find(([f]) => size >= f) ?? PREFIXES.at(-1);
	return `${digits(value / factor)} ${prefix}${unit}`;
}

// Short texts for the marks of an axis
export function tickTexts(ticks, unit) {
	return ticks.map((value) => value === null ? "" : quantity(value, SCALED.has(unit) ? unit : ""));
}

export function perSecond(value) {
	return value >= 100 ? value.toFixed(0) : value.toFixed(1);
}

export function bytes(value) {
	const [factor, unit] = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]
		.find(([f]) => value >= f) ?? [1, "B"];
	return `${(value / factor).toFixed(factor === 1 ? 0 : 1)} ${unit}`;
}

// Marks a time that does not fit into a frame
const NO_TIME = 2n ** 64n - 1n;

export function timeText(nanoseconds) {
	if (nanoseconds === NO_TIME)
		return "its time is out of range";
	const part = String(nanoseconds % 1000000000n).padStart(9, "0");
	const date = new Date(Number(nanoseconds / 1000000n));
	return `${date.toISOString().slice(0, 19).replace("T", " ")}.${part} UTC`;
}
