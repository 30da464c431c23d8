// SPDX-License-Identifier: GPL-2.0-only
// Okabe and Ito's colours: people with colour blindness can tell them apart. Lines also have
// different dashes. Yellow is hard to see on white, and black on a dark background.

const LIGHT = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
	"#8a7d00"];
const DARK = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#d55e00", "#ffffff",
	"#4a9be0"];
const DASHES = [[], [8, 4], [2, 3], [12, 4, 2, 4]];
const dark = matchMedia("(prefers-color-scheme: dark)");

export function colour(index) {
	const colours = dark.matches ? DARK : LIGHT;
	return colours[index % colours.length];
}

export function dash(index) {
	return DASHES[Math.floor(index / 2) % DASHES.length];
}

export function ink() {
	return dark.matches
		? { text: "#eee", grid: "#3a3e44", mark: "#ffffff", gap: "#ff9d5c55" }
		: { text: "#1a1a1a", grid: "#ddd", mark: "#000000", gap: "#d55e0033" };
}

export function onThemeChange(call) {
	dark.addEventListener("change", call);
}
