// SPDX-License-Identifier: GPL-2.0-only
// The list of channels: which ones are shown, and the state of each in words.

import { bytes, perSecond, quantity } from "./format.js";
import { colour, dash } from "./palette.js";

const BAD = new Set(["gone", "error"]);
const DASHED = ["solid", "dashed", "dotted", "dashed"];

export class ChannelList {
	constructor(fieldset, toggle) {
		this.list = fieldset.querySelector("ul");
		this.none = fieldset.querySelector("#no-channels");
		this.toggle = toggle;
		this.items = new Map();
	}

	// counts: the kernel's counters by name
	show(channels, chosen, history, counts) {
		this.none.hidden = channels.length > 0;
		for (const channel of channels) {
			const item = this.items.get(channel.name) ?? this.make(channel);
			item.box.checked = chosen.includes(channel.name);
			const words = describe(channel, item.box.checked, history, counts.get(channel.name));
			if (item.state.textContent !== words)
				item.state.textContent = words;
			item.state.classList.toggle("bad", BAD.has(channel.state));
		}
	}

	make(channel) {
		const line = document.createElement("li");
		const label = document.createElement("label");
		const box = document.createElement("input");
		box.type = "checkbox";
		box.addEventListener("change", () => this.toggle(channel.name));
		const swatch = document.createElement("span");
		swatch.className = "swatch";
		swatch.style.borderTopColor = colour(channel.index);
		swatch.style.borderTopStyle = DASHED[dash(channel.index).length ? channel.index >> 1 & 3 : 0];
		const state = document.createElement("span");
		state.className = "state";
		label.append(box, swatch, `${channel.name}`);
		line.append(label, state);
		this.list.append(line);
		this.items.set(channel.name, { box, state });
		return this.items.get(channel.name);
	}
}

function describe(channel, isChosen, history, counted) {
	const [rate, byteRate, lostRate] = history.last(channel.name);
	const lost = counted ? counted.lost : channel.lost;
	const words = [];
	if (channel.state !== "live" && (isChosen || !channel.isTap))
		words.push(channel.text);
	if (counted && !counted.enabled)
		words.push("disabled");
	if (channel.rate)
		words.push(quantity(channel.rate, "Hz"));
	words.push(`${perSecond(rate)} blocks/s, ${bytes(byteRate)}/s`);
	words.push(lostRate ? `lost ${lost} blocks, ${perSecond(lostRate)}/s` : `lost ${lost} blocks`);
	if (channel.skipped)
		words.push(channel.isTap ? `the scope skipped ${channel.skipped}`
			: `another reader took ${channel.skipped}`);
	if (channel.missed)
		words.push(`missed ${channel.missed} events`);
	return words.join("; ");
}
