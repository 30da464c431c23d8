// SPDX-License-Identifier: GPL-2.0-only
// The waveforms: curves, gaps, the level of the trigger, and cursors.

import uPlot from "./uplot/uPlot.esm.js";
import { axis, Chart, rangeAround } from "./chart.js";
import { gridOf, valuesOf } from "./frames.js";
import { quantity, tickTexts } from "./format.js";
import { colour, dash, ink } from "./palette.js";
import { screen, view, xScale, xUnit } from "./store.js";

const CLICK_WIDTH = 5;

export class Waveform extends Chart {
	// handlers: zoom(range in samples, or null), point(event, x in samples)
	constructor(element, cursors, handlers) {
		super(element, (width, height) => this.makeOptions(width, height));
		this.cursors = cursors;
		this.handlers = handlers;
		this.frame = null;
		this.tables = [];
		this.names = [];
		this.layout = "";
	}

	// channels: the list of the state message
	show(frame, channels) {
		this.frame = frame;
		this.names = frame.lines.map((line) => channels.find((c) => c.index === line.channel) ??
			{ name: `channel ${line.channel}`, unit: "", index: line.channel });
		this.tables = frame.lines.map((line) => [gridOf(line, xScale()), valuesOf(line)]);
		const data = align(frame.lines, this.tables);
		const layout = JSON.stringify([this.names.map((c) => [c.name, c.unit]), xUnit()]);
		if (layout !== this.layout) {
			this.layout = layout;
			this.data = data;
			this.rebuild();
		} else {
			this.setData(data);
		}
	}

	redraw() {
		this.plot?.redraw(false, false);
	}

	rescale() {
		this.plot?.setData(this.data);
	}

	xRange() {
		const [low, high] = view.range ?? this.frame?.extent ?? [0, 1];
		const scale = xScale();
		return low < high ? [low * scale, high * scale] : [low * scale - 0.5, low * scale + 0.5];
	}

	yRange(low, high) {
		const [autoLow, autoHigh] = rangeAround(low, high);
		const range = [screen.yLow ?? autoLow, screen.yHigh ?? autoHigh];
		return range[0] < range[1] ? range : [range[0], range[0] + 1];
	}

	makeOptions(width, height) {
		const units = [...new Set(this.names.map((c) => c.unit))];
		const scales = { x: { time: false, range: () => this.xRange() } };
		for (const unit of units)
			scales[`y ${unit}`] = { range: (u, low, high) => this.yRange(low, high) };
		const axes = [axis(xUnit(), { size: 34, values: (u, ticks) => tickTexts(ticks, xUnit()) })];
		units.slice(0, 2).forEach((unit, i) => axes.push(axis(unit || "counts",
			{ scale: `y ${unit}`, side: i ? 1 : 3, size: 52 })));
		return {
			width, height, scales, axes,
			series: [{ label: "x" }, ...this.names.map((c, i) => this.makeSeries(c, this.frame.lines[i]))],
			legend: { show: false },
			cursor: {
				drag: { x: true, y: false, setScale: false },
				points: { show: false },
				bind: { dblclick: () => () => this.handlers.zoom(null) },
			},
			hooks: {
				ready: [(u) => this.listen(u)],
				setSelect: [(u) => this.select(u)],
				drawClear: [(u) => this.drawGaps(u)],
				draw: [(u) => this.drawMarks(u)],
			},
		};
	}

	makeSeries(channel, line) {
		return {
			label: channel.name,
			scale: `y ${channel.unit}`,
			stroke: colour(channel.index),
			dash: dash(channel.index),
			width: 1.5,
			points: { show: line.points <= 200 },
			spanGaps: false,
		};
	}

	// --- the mouse --------------------------------------------------------------------

	listen(plot) {
		plot.over.addEventListener("click", (event) => {
			if (!this.dragged)
				this.handlers.point(event, plot.posToVal(event.offsetX, "x") / xScale());
			this.dragged = false;
		});
	}

	select(plot) {
		const { left, width } = plot.select;
		this.dragged = width >= CLICK_WIDTH;
		if (!this.dragged)
			return;
		const edges = [left, left + width].map((at) => plot.posToVal(at, "x") / xScale());
		plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
		this.handlers.zoom(edges);
	}

	// --- what uPlot does not draw -------------------------------------------------------

	drawGaps(plot) {
		const { top, height } = plot.bbox;
		plot.ctx.fillStyle = ink().gap;
		for (const [grid, values] of this.tables) {
			for (const [start, end] of gapsOf(values)) {
				const left = plot.valToPos(grid[Math.max(start - 1, 0)], "x", true);
				const right = plot.valToPos(grid[end], "x", true);
				plot.ctx.fillRect(left, top, right - left, height);
			}
		}
	}

	drawMarks(plot) {
		const { ctx, bbox } = plot;
		ctx.save();
		ctx.textAlign = "left";
		ctx.textBaseline = "bottom";
		ctx.beginPath();
		ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
		ctx.clip();
		this.drawLevel(plot);
		for (const [name, x] of this.cursors.places())
			this.drawCursor(plot, name, x);
		ctx.restore();
	}

	drawLevel(plot) {
		if (view.trigger.mode === "off" || !this.names.length)
			return;
		const channel = this.names.find((c) => c.name === view.trigger.channel) ?? this.names[0];
		const y = plot.valToPos(view.trigger.level, `y ${channel.unit}`, true);
		const { left, width } = plot.bbox;
		stroke(plot.ctx, colour(channel.index), [10, 5], left, y, left + width, y);
		plot.ctx.fillStyle = colour(channel.index);
		plot.ctx.font = `${13 * devicePixelRatio}px system-ui, sans-serif`;
		plot.ctx.fillText(`T ${quantity(view.trigger.level, channel.unit)}`, left + 4, y - 4);
	}

	drawCursor(plot, name, x) {
		const at = plot.valToPos(x * xScale(), "x", true);
		const { top, height } = plot.bbox;
		const isActive = this.cursors.active === name;
		stroke(plot.ctx, ink().mark, isActive ? [] : [4, 4], at, top, at, top + height);
		plot.ctx.fillStyle = ink().mark;
		plot.ctx.font = `${14 * devicePixelRatio}px system-ui, sans-serif`;
		plot.ctx.fillText(name.toUpperCase(), at + 4, top + 16 * devicePixelRatio);
	}
}

// Merge the tables of all lines into one. uPlot joins a line across the places where only
// other lines have a value.
function align(lines, tables) {
	const [{ first, step, points }] = lines;
	if (lines.every((line) => line.first === first && line.step === step && line.points === points))
		return [tables[0][0], ...tables.map((table) => table[1])];
	return uPlot.join(tables);
}

function stroke(ctx, style, dashes, x0, y0, x1, y1) {
	ctx.strokeStyle = style;
	ctx.lineWidth = devicePixelRatio;
	ctx.setLineDash(dashes);
	ctx.beginPath();
	ctx.moveTo(x0, y0);
	ctx.lineTo(x1, y1);
	ctx.stroke();
	ctx.setLineDash([]);
}

// Return [first, end) of the gaps between values. Arrays without null have no gaps.
export function gapsOf(values) {
	if (!Array.isArray(values))
		return [];
	const gaps = [];
	let start = -1;
	values.forEach((value, i) => {
		if (value === null && start < 0)
			start = i;
		if (value !== null && start > 0)
			gaps.push([start, i]);
		if (value !== null)
			start = -1;
	});
	return gaps;
}
