// SPDX-License-Identifier: GPL-2.0-only
// A uPlot chart that follows the size of its element and the theme.

import uPlot from "./uplot/uPlot.esm.js";
import { ink, onThemeChange } from "./palette.js";

export class Chart {
	// options(width, height) returns the options of uPlot
	constructor(element, options) {
		this.element = element;
		this.options = options;
		this.data = [[], []];
		this.plot = null;
		new ResizeObserver(() => this.resize()).observe(element);
		onThemeChange(() => this.rebuild());
	}

	rebuild() {
		this.plot?.destroy();
		this.plot = null;
		const { width, height } = this.size();
		if (width > 0)
			this.plot = new uPlot(this.options(width, height), this.data, this.element);
	}

	size() {
		return { width: this.element.clientWidth, height: this.element.clientHeight };
	}

	resize() {
		const { width, height } = this.size();
		if (width === 0)
			return;
		if (!this.plot)
			this.rebuild();
		else if (this.plot.width !== width || this.plot.height !== height)
			this.plot.setSize({ width, height });
	}

	setData(data) {
		this.data = data;
		if (this.plot)
			this.plot.setData(data);
		else
			this.rebuild();
	}
}

export function axis(label, extra = {}) {
	const colours = ink();
	return {
		label,
		labelSize: 18,
		labelFont: "13px system-ui, sans-serif",
		font: "12px system-ui, sans-serif",
		stroke: colours.text,
		grid: { stroke: colours.grid, width: 1 },
		ticks: { stroke: colours.grid, width: 1 },
		...extra,
	};
}

// Give flat lines a range, too.
export function rangeAround(low, high) {
	if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high))
		return [0, 1];
	const margin = (high - low) * 0.05 || Math.max(Math.abs(high) * 0.05, 1);
	return [low - margin, high + margin];
}
