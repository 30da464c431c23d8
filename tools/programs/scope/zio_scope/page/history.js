// SPDX-License-Identifier: GPL-2.0-only
// Rates and losses of the last ten minutes.

import { axis, Chart } from "./chart.js";
import { colour, dash } from "./palette.js";

const KEPT_SECONDS = 600;
const BLOCKS = 0;
const LOST = 2;

export class History {
	constructor(rates, losses) {
		this.points = [];
		this.channels = [];
		this.layout = "";
		this.charts = [this.chart(rates, "blocks/s"), this.chart(losses, "lost/s")];
	}

	chart(element, label) {
		return new Chart(element, (width, height) => ({
			width, height,
			scales: { y: { range: (u, low, high) => [0, Math.max(high ?? 0, 1) * 1.05] } },
			axes: [axis(undefined, { size: 30 }), axis(label, { size: 52 })],
			series: [{}, ...this.channels.map((c) => ({ label: c.name, width: 1.5,
				stroke: colour(c.index), dash: dash(c.index), points: { show: false } }))],
			legend: { show: false },
			cursor: { drag: { x: false, y: false } },
		}));
	}

	replace(points) {
		this.points = points;
		this.draw();
	}

	add(points) {
		this.points.push(...points);
		const first = this.points.at(-1).time - KEPT_SECONDS;
		this.points = this.points.filter((point) => point.time >= first);
		this.draw();
	}

	choose(channels) {
		const layout = JSON.stringify(channels.map((c) => c.name));
		if (layout === this.layout)
			return;
		this.layout = layout;
		this.channels = channels;
		this.charts.forEach((chart, i) => {
			chart.data = this.data(i ? LOST : BLOCKS);
			chart.rebuild();
		});
	}

	data(column) {
		const columns = this.channels.map((c) =>
			this.points.map((point) => point.rates[c.name]?.[column] ?? null));
		return [this.points.map((point) => point.time), ...columns];
	}

	draw() {
		this.charts.forEach((chart, i) => chart.setData(this.data(i ? LOST : BLOCKS)));
	}

	last(name) {
		return this.points.at(-1)?.rates[name] ?? [0, 0, 0];
	}
}
