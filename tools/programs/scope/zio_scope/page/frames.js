// SPDX-License-Identifier: GPL-2.0-only
// Decode binary frames. tools/programs/scope/README.md describes the layout.

export const WAVEFORM = 1;
export const SPECTRUM = 2;
export const TRIGGERED = 1;
export const DECIMATED = 2;
const HEADER = 48;
const RECORD = 48;

function readHeader(view) {
	const magic = String.fromCharCode(...new Uint8Array(view.buffer, 0, 4));
	if (magic !== "ZSCO" || view.getUint8(4) !== 3)
		throw new Error("the daemon is another version of zio-scope: reload the page");
	return {
		kind: view.getUint8(5),
		lines: [],
		count: view.getUint16(6, true),
		flags: view.getUint32(8, true),
		view: view.getUint32(12, true),
		number: view.getUint32(16, true),
		extent: [view.getFloat64(24, true), view.getFloat64(32, true)],
		rate: view.getFloat64(40, true),
	};
}

function readLine(view, at) {
	const size = view.getUint16(at + 2, true);
	const points = view.getUint32(at + 40, true);
	const Values = size === 8 ? Float64Array : Float32Array;
	return {
		channel: view.getUint16(at, true),
		blocks: view.getUint32(at + 4, true),
		seq: view.getUint32(at + 8, true),
		missing: view.getUint32(at + 12, true),
		timeNs: view.getBigUint64(at + 16, true),
		first: view.getFloat64(at + 24, true),
		step: view.getFloat64(at + 32, true),
		points,
		values: new Values(view.buffer, at + RECORD, points),
		end: at + RECORD + Math.ceil(points * size / 8) * 8,
	};
}

export function decode(buffer) {
	const view = new DataView(buffer);
	const frame = readHeader(view);
	let at = HEADER;
	for (let i = 0; i < frame.count; i++) {
		const line = readLine(view, at);
		frame.lines.push(line);
		at = line.end;
	}
	return frame;
}

// uPlot draws a gap for null, but not for NaN.
export function valuesOf(line) {
	if (!line.values.some(Number.isNaN))
		return line.values;
	return Array.from(line.values, (value) => Number.isNaN(value) ? null : value);
}

export function gridOf(line, scale = 1) {
	const grid = new Float64Array(line.points);
	for (let i = 0; i < line.points; i++)
		grid[i] = (line.first + i * line.step) * scale;
	return grid;
}
