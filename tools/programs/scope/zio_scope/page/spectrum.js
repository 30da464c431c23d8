// SPDX-License-Identifier: GPL-2.0-only
// The spectrum of a channel.

import { axis, Chart } from "./chart.js";
import { gridOf } from "./frames.js";
import { digits, quantity, tickTexts } from "./format.js";
import { colour } from "./palette.js";

const LOWEST_DB = -160;

export class Spectrum extends Chart {
	constructor(element, peak) {
		super(element, (width, height) => this.makeOptions(width, height));
		this.peak = peak;
		this.channel = { name: "", unit: "", index: 0 };
		this.layout = "";
		this.rate = 0;
	}

	makeOptions(width, height) {
		return {
			width, height,
			scales: {
				x: { time: false },
				y: { range: (u, low, high) => [Math.max(low, LOWEST_DB) - 5, high + 5] },
			},
			axes: [axis(this.rate ? "Hz" : "cycles per sample", { size: 34,
				values: (u, ticks) => tickTexts(ticks, this.rate ? "Hz" : "") }),
				axis(`dB (1 ${this.channel.unit || "count"})`, { size: 52 })],
			series: [{}, { stroke: colour(this.channel.index), width: 1.5,
				points: { show: false } }],
			legend: { show: false },
			cursor: { drag: { x: false, y: false } },
		};
	}

	show(frame, channels) {
		const line = frame.lines[0];
		this.channel = channels.find((c) => c.index === line.channel) ?? this.channel;
		this.rate = frame.rate;
		this.data = [gridOf(line, this.rate || 1), line.values];
		const layout = JSON.stringify([this.channel.name, this.channel.unit, this.rate]);
		if (layout !== this.layout || !this.plot) {
			this.layout = layout;
			this.rebuild();
		} else {
			this.setData(this.data);
		}
		this.tellPeak();
	}

	tellPeak() {
		const [grid, values] = this.data;
		let best = 1;
		for (let i = 1; i < values.length; i++)
			best = values[i] > values[best] ? i : best;
		const where = this.rate ? quantity(grid[best], "Hz")
			: `${digits(grid[best])} cycles per sample`;
		this.peak.textContent =
			`${this.channel.name}: highest line ${values[best].toFixed(1)} dB at ${where}`;
	}
}
