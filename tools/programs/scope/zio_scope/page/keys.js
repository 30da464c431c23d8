// SPDX-License-Identifier: GPL-2.0-only
// The keyboard. Keys have no effect while the user types into a field.

const TYPED = new Set(["INPUT", "SELECT", "TEXTAREA"]);

export class Keys {
	// keys: [[key, words, function(event)]]. A key is a value of KeyboardEvent.key.
	constructor(keys, dialog) {
		this.keys = new Map(keys.flatMap(([names, , call]) =>
			names.split(" ").map((name) => [name === "Space" ? " " : name, call])));
		this.dialog = dialog;
		this.fill(keys);
		document.addEventListener("keydown", (event) => this.press(event));
	}

	fill(keys) {
		const list = this.dialog.querySelector("dl");
		for (const [names, words] of keys) {
			const key = document.createElement("dt");
			const what = document.createElement("dd");
			key.textContent = names.replaceAll(" ", ", ").replaceAll("Arrow", "");
			what.textContent = words;
			list.append(key, what);
		}
	}

	press(event) {
		const { target, key } = event;
		const isField = TYPED.has(target.tagName) && target.type !== "checkbox";
		const isButton = (target.tagName === "BUTTON" || target.type === "checkbox") && key === " ";
		if (isField || isButton || this.dialog.open || event.ctrlKey || event.metaKey || event.altKey)
			return;
		const call = this.keys.get(key);
		if (call && call(event) !== false)
			event.preventDefault();
	}
}
