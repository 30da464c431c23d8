// SPDX-License-Identifier: GPL-2.0-only
// Two cursors, their distance, and the values of the curves at each.

import { quantity } from "./format.js";
import { xScale, xUnit } from "./store.js";

export class Cursors {
	constructor(table) {
		this.table = table;
		this.at = { a: null, b: null };
		this.active = null;
	}

	places() {
		return Object.entries(this.at).filter(([, x]) => x !== null);
	}

	put(name, x) {
		this.at[name] = x;
		this.active = name;
	}

	clear() {
		this.at = { a: null, b: null };
		this.active = null;
	}

	// lines: the lines of the frame, each with name and unit
	show(frame, lines) {
		this.table.hidden = this.places().length === 0;
		if (this.table.hidden || !frame)
			return;
		const { a, b } = this.at;
		const isPair = a !== null && b !== null;
		const head = ["", "A", "B", "B \u2212 A"];
		const rows = [["x", place(a), place(b), isPair ? place(b - a) : "\u2013"]];
		for (const line of lines) {
			const [ya, yb] = [a, b].map((x) => valueAt(line, x));
			const both = ya !== null && yb !== null ? yb - ya : null;
			rows.push([line.name, ...[ya, yb, both].map((y) => quantity(y, line.unit))]);
		}
		rows.push(["1 / \u0394x", "", "", isPair && b !== a ? inverse(b - a) : "\u2013"]);
		this.table.tHead.replaceChildren(row("th", head));
		this.table.tBodies[0].replaceChildren(...rows.map((cells) => row("td", cells)));
	}
}

function place(x) {
	return x === null ? "\u2013" : quantity(x * xScale(), xUnit());
}

function inverse(samples) {
	return xUnit() === "s"
		? quantity(1 / (Math.abs(samples) * xScale()), "Hz")
		: `${quantity(1 / Math.abs(samples), "")} per sample`;
}

function row(kind, cells) {
	const line = document.createElement("tr");
	cells.forEach((text, i) => {
		const cell = document.createElement(i ? kind : "th");
		cell.textContent = text;
		line.append(cell);
	});
	return line;
}

// The value of a curve at x, interpolated linearly between two samples
export function valueAt({ first, step, points, values }, x) {
	if (x === null || !points)
		return null;
	const at = (x - first) / step;
	const low = Math.floor(at);
	if (low < 0 || low > points - 1 || Number.isNaN(values[low]))
		return null;
	const high = Math.min(low + 1, points - 1);
	return values[low] + (at - low) * (values[high] - values[low] || 0);
}
