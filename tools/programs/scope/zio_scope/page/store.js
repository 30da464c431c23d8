// SPDX-License-Identifier: GPL-2.0-only
// The user's choices. The page keeps them in the browser.

const KEY = "zio-scope";

export const view = {
	channels: [],
	blocks: 1,
	range: null,
	paused: false,
	trigger: { mode: "off", channel: "", level: 0, slope: "rising" },
	spectrum: null,
	rate: null,
};
export const screen = { yLow: null, yHigh: null, hasChosen: false };

let serial = 0;

export function load() {
	try {
		const kept = JSON.parse(localStorage.getItem(KEY) ?? "{}");
		Object.assign(view, kept.view, { paused: false, range: null });
		Object.assign(screen, kept.screen);
	} catch {
		localStorage.removeItem(KEY);
	}
}

export function save() {
	localStorage.setItem(KEY, JSON.stringify({ view, screen }));
}

export function message(width) {
	serial += 1;
	return { type: "view", serial, width: Math.min(Math.max(width, 16), 8192), ...view };
}

export function lastSerial() {
	return serial;
}

// The sample rate of the picture, according to the daemon; 0: unknown
let rate = 0;

export function setRate(perSecond) {
	rate = perSecond;
}

export function xScale() {
	return rate ? 1 / rate : 1;
}

export function xUnit() {
	return rate ? "s" : "samples";
}
