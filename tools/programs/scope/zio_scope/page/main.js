// SPDX-License-Identifier: GPL-2.0-only
// The page: connects the parts.

import { ChannelList } from "./channels.js";
import { Connection } from "./connection.js";
import { Cursors } from "./cursors.js";
import { bindForm, fillSelect } from "./form.js";
import { decode, DECIMATED, SPECTRUM, TRIGGERED } from "./frames.js";
import { timeText } from "./format.js";
import { History } from "./history.js";
import { Keys } from "./keys.js";
import * as secret from "./secret.js";
import { Settings } from "./settings.js";
import { Spectrum } from "./spectrum.js";
import * as store from "./store.js";
import { Waveform } from "./waveform.js";

const { view } = store;
const element = (id) => document.getElementById(id);
const FIRST_CHANNELS = 2;

secret.take();
store.load();

let channels = [];
let frame = null;
const cursors = new Cursors(element("cursors"));
const waveform = new Waveform(element("waveform"), cursors, { zoom, point });
const spectrum = new Spectrum(element("spectrum"), element("peak"));
const rates = new History(element("history"), element("losses"));
const list = new ChannelList(element("channels"), toggle);
const settings = new Settings(element("settings"), element("message"), (m) => link.send(m));
const link = new Connection({ state: showConnection, message: receive, frame: draw,
	open: sendView });

// --- to the daemon ----------------------------------------------------------------------

function sendView() {
	link.send(store.message(element("waveform").clientWidth));
}

function change() {
	store.save();
	sendView();
	showControls();
	waveform.rescale();
}

function toggle(name) {
	const at = view.channels.indexOf(name);
	if (at >= 0)
		view.channels.splice(at, 1);
	else
		view.channels.push(name);
	store.screen.hasChosen = true;
	view.range = null;
	change();
	showChannels();
}

function pause() {
	view.paused = !view.paused;
	change();
}

// --- from the daemon --------------------------------------------------------------------

function receive(message) {
	const handlers = {
		hello: greet,
		state: showState,
		history: (m) => { rates.add(m.points); showChannels(); },
		set: (m) => settings.answer(m),
		error: (m) => { element("message").textContent = m.text; },
		paused: () => { view.paused = true; showControls(); },
	};
	handlers[message.type]?.(message);
}

function greet(hello) {
	rates.replace(hello.history);
	settings.readOnly = hello.readOnly;
	element("again").hidden = !hello.playable;
	frame = null;
}

let sets = [];

function showState(state) {
	channels = state.channels;
	sets = state.sets;
	element("full").hidden = !state.isFull;
	chooseFirst();
	showChannels();
	settings.show(sets);
	fillSelect(element("trigger-channel"), view.channels, view.trigger.channel);
	fillSelect(element("spectrum-channel"), view.channels, view.spectrum?.channel ?? "");
}

// If the page shows no channel of this machine, show the first two.
function chooseFirst() {
	const names = channels.map((c) => c.name);
	if (!names.length || view.channels.some((name) => names.includes(name)))
		return;
	if (store.screen.hasChosen && !view.channels.length)
		return;
	view.channels = names.slice(0, FIRST_CHANNELS);
	change();
}

function showChannels() {
	const counted = sets.flatMap((set) => set.channels).map((c) => [c.name, c]);
	list.show(channels, view.channels, rates, new Map(counted));
	rates.choose(channels.filter((c) => view.channels.includes(c.name)));
}

function draw(buffer) {
	const received = decode(buffer);
	requestAnimationFrame(() => {
		if (received.kind === SPECTRUM)
			spectrum.show(received, channels);
		else
			drawWaveform(received);
		link.send({ type: "ack", frame: received.number });
	});
}

function drawWaveform(received) {
	frame = received;
	store.setRate(frame.rate);
	waveform.show(frame, channels);
	showPicture();
	showCursors();
}

function showPicture() {
	const line = frame.lines[0];
	const channel = channels.find((c) => c.index === line.channel);
	const words = [`block ${line.seq}`, timeText(line.timeNs)];
	if (view.trigger.mode !== "off")
		words.push(frame.flags & TRIGGERED ? "triggered" : "no crossing of the level");
	if (frame.flags & DECIMATED)
		words.push("each column has the minimum and the maximum of its samples");
	for (const { missing, channel: index } of frame.lines) {
		const name = channels.find((c) => c.index === index)?.name;
		if (missing && !channel?.isTap)
			words.push(`${name}: ${missing} blocks are missing here`);
		else if (missing)
			words.push(`${name}: ${missing} blocks are not in the picture`);
	}
	element("picture").textContent = words.join("; ");
}

function showCursors() {
	const lines = frame ? frame.lines.map((line, i) => ({ ...waveform.names[i], ...line })) : [];
	cursors.show(frame, lines);
	waveform.redraw();
}

// --- the user ---------------------------------------------------------------------------

function showConnection(text, isGood) {
	element("connection").textContent = text;
	element("connection").classList.toggle("bad", !isGood);
}

function showControls() {
	element("pause").setAttribute("aria-pressed", String(view.paused));
	element("pause").textContent = view.paused ? "Paused" : "Pause";
	element("spectrum-part").hidden = !view.spectrum;
}

function zoom(range) {
	view.range = range;
	change();
}

function zoomBy(factor) {
	const [low, high] = view.range ?? frame?.extent ?? [0, 1];
	const centre = cursors.at[cursors.active] ?? (low + high) / 2;
	const range = [low, high].map((edge) => centre + (edge - centre) * factor);
	zoom(frame && factor > 1 && range[1] - range[0] >= frame.extent[1] - frame.extent[0]
		? null : range);
}

function point(event, x) {
	cursors.put(event.shiftKey ? "b" : "a", x);
	showCursors();
}

function chooseCursor(name) {
	const [low, high] = view.range ?? frame?.extent ?? [0, 1];
	cursors.put(name, cursors.at[name] ?? Math.round(low + (high - low) * (name === "a" ? 0.25 : 0.75)));
	showCursors();
}

function move(event, direction) {
	const [low, high] = view.range ?? frame?.extent ?? [0, 1];
	const steps = direction * (event.shiftKey ? 10 : 1);
	if (cursors.active) {
		const pixel = (high - low) / Math.max(element("waveform").clientWidth, 1);
		cursors.put(cursors.active, cursors.at[cursors.active] + steps * Math.max(1, Math.round(pixel)));
		showCursors();
	} else if (view.range) {
		const by = (high - low) * 0.1 * steps;
		zoom([low + by, high + by]);
	}
}

function moveLevel(event, direction) {
	const [low, high] = waveform.yRange(...extremes());
	const input = element("trigger-level");
	view.trigger.level += direction * (high - low) * (event.shiftKey ? 0.1 : 0.01);
	view.trigger.level = Number(view.trigger.level.toPrecision(6));
	input.value = view.trigger.level;
	change();
}

function extremes() {
	let [low, high] = [Infinity, -Infinity];
	for (const line of frame?.lines ?? []) {
		for (const value of line.values) {
			low = value < low ? value : low;
			high = value > high ? value : high;
		}
	}
	return [low, high];
}

function toggleSpectrum() {
	element("spectrum-on").click();
}

function focus(selector) {
	document.querySelector(selector)?.focus();
}

const KEYS = [
	["Space p", "pause or continue", pause],
	["+ =", "zoom in, around the chosen cursor", () => zoomBy(0.5)],
	["-", "zoom out", () => zoomBy(2)],
	["0", "show all", () => zoom(null)],
	["a", "choose cursor A", () => chooseCursor("a")],
	["b", "choose cursor B", () => chooseCursor("b")],
	["ArrowLeft", "move the cursor (Shift: ten times as far); with none, the picture",
		(event) => move(event, -1)],
	["ArrowRight", "the same to the right", (event) => move(event, 1)],
	["Escape", "remove the cursors", () => { cursors.clear(); showCursors(); }],
	["ArrowUp", "raise the level of the display trigger (Shift: ten times)",
		(event) => view.trigger.mode === "off" ? false : moveLevel(event, 1)],
	["ArrowDown", "lower it", (event) =>
		view.trigger.mode === "off" ? false : moveLevel(event, -1)],
	["t", "go to the display trigger", () => focus("#trigger-mode")],
	["s", "go to the settings", () => focus("#settings input, #settings select")],
	["c", "go to the channels", () => focus("#channels input")],
	["f", "show or hide the spectrum", toggleSpectrum],
	["r", "play the file again", () => link.send({ type: "play" })],
	["1 2 3 4 5 6 7 8 9", "show or hide a channel", (event) => {
		const channel = channels[Number(event.key) - 1];
		if (channel)
			toggle(channel.name);
	}],
	["?", "show this list", () => element("help").showModal()],
];

new Keys(KEYS, element("help"));
bindForm(change);
element("pause").addEventListener("click", pause);
element("zoom-in").addEventListener("click", () => zoomBy(0.5));
element("zoom-out").addEventListener("click", () => zoomBy(2));
element("zoom-all").addEventListener("click", () => zoom(null));
element("again").addEventListener("click", () => link.send({ type: "play" }));
element("help-open").addEventListener("click", () => element("help").showModal());
// If the user opens a URL with another token, the page stays.
addEventListener("hashchange", () => {
	secret.take();
	link.again();
});
new ResizeObserver(sendView).observe(element("waveform"));
showControls();

// For tests: what the page shows
window.zioScope = {
	get data() { return waveform.data; },
	get frame() { return frame; },
	get channels() { return channels; },
	get sets() { return sets; },
	get spectrum() { return spectrum.data; },
	get history() { return rates.points; },
	get view() { return view; },
	get plot() { return waveform.plot; },
	get cursors() { return cursors.at; },
};
