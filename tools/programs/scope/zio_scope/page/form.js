// SPDX-License-Identifier: GPL-2.0-only
// The fields for display, trigger and spectrum.

import { screen, view } from "./store.js";

const element = (id) => document.getElementById(id);

function number(text) {
	const value = Number(text);
	return text.trim() && Number.isFinite(value) ? value : null;
}

// Fields by id: how to read the user's choice, and how to show it
const FIELDS = {
	"blocks": [(text) => { view.blocks = clamp(number(text) ?? 1, 1, 64); view.range = null; },
		() => view.blocks],
	"rate": [(text) => { view.rate = number(text) > 0 ? number(text) : null; },
		() => view.rate ?? ""],
	"y-low": [(text) => { screen.yLow = number(text); }, () => screen.yLow ?? ""],
	"y-high": [(text) => { screen.yHigh = number(text); }, () => screen.yHigh ?? ""],
	"trigger-mode": [(text) => { view.trigger.mode = text; view.range = null;
		view.paused = false; }, () => view.trigger.mode],
	"trigger-channel": [(text) => { view.trigger.channel = text; },
		() => view.trigger.channel],
	"trigger-level": [(text) => { view.trigger.level = number(text) ?? 0; },
		() => view.trigger.level],
	"trigger-slope": [(text) => { view.trigger.slope = text; }, () => view.trigger.slope],
	"spectrum-channel": [(text) => { setSpectrum({ channel: text }); },
		() => view.spectrum?.channel ?? ""],
	"spectrum-window": [(text) => { setSpectrum({ window: text }); },
		() => view.spectrum?.window ?? "hann"],
};

function clamp(value, low, high) {
	return Math.round(Math.min(Math.max(value, low), high));
}

function setSpectrum(part) {
	view.spectrum = { channel: element("spectrum-channel").value,
		window: element("spectrum-window").value, ...part };
	element("spectrum-on").checked = true;
}

export function bindForm(change) {
	for (const [id, [set, get]] of Object.entries(FIELDS)) {
		const input = element(id);
		input.value = get();
		input.addEventListener("change", () => {
			set(input.value);
			input.value = get();
			change();
		});
	}
	const box = element("spectrum-on");
	box.checked = view.spectrum !== null;
	box.addEventListener("change", () => {
		view.spectrum = null;
		if (box.checked)
			setSpectrum({});
		change();
	});
}

// Offer the names, and "" for the first one. Leave the list alone if it is up to date.
export function fillSelect(select, names, chosen) {
	const wanted = ["", ...names];
	if (JSON.stringify([...select.options].map((o) => o.value)) !== JSON.stringify(wanted))
		select.replaceChildren(...wanted.map((name) => new Option(name || "the first one", name)));
	if (document.activeElement !== select)
		select.value = wanted.includes(chosen) ? chosen : "";
}
