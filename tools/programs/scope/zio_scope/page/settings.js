// SPDX-License-Identifier: GPL-2.0-only
// The settings of channel sets and triggers. The kernel checks each value.

import { perSecond } from "./format.js";

export class Settings {
	constructor(element, message, send) {
		this.element = element;
		this.message = message;
		this.send = send;
		this.readOnly = false;
		this.sets = new Map();
	}

	show(sets) {
		const names = new Set(sets.map((set) => set.name));
		for (const [name, part] of this.sets) {
			if (!names.has(name)) {
				part.field.remove();
				this.sets.delete(name);
			}
		}
		for (const set of sets)
			this.showSet(set);
	}

	showSet(set) {
		const layout = JSON.stringify(set.settings.map((s) => [s.object, s.attribute, s.choices]));
		let part = this.sets.get(set.name);
		if (part?.layout !== layout) {
			const next = this.makeSet(set, layout);
			part ? part.field.replaceWith(next.field) : this.element.append(next.field);
			this.sets.set(set.name, part = next);
		}
		part.state.textContent = this.describe(set);
		set.settings.forEach((setting, i) => showValue(part.inputs[i], setting.value));
	}

	describe(set) {
		const on = set.trigger_enabled ? "enabled" : "disabled";
		const whole = set.enabled ? "" : "the set is disabled; ";
		return `${whole}trigger ${set.trigger}, ${on}; fired ${set.fired}, ` +
			`${perSecond(set.fired_per_s)}/s; lost ${set.lost_triggers} triggers`;
	}

	makeSet(set, layout) {
		const field = document.createElement("fieldset");
		const legend = document.createElement("legend");
		const state = document.createElement("p");
		legend.textContent = `Set ${set.name}`;
		state.className = "trigger-state";
		field.append(legend, state);
		const inputs = set.settings.map((setting) => {
			const label = document.createElement("label");
			label.className = "setting";
			label.append(labelOf(set, setting), this.makeInput(setting));
			field.append(label);
			return label.lastChild;
		});
		return { field, layout, state, inputs };
	}

	makeInput(setting) {
		const input = document.createElement(setting.choices.length ? "select" : "input");
		for (const choice of setting.choices)
			input.append(new Option(choice, choice));
		input.disabled = this.readOnly || !setting.writable;
		input.dataset.name = `${setting.object}/${setting.attribute}`;
		input.addEventListener("change", () => {
			this.message.textContent = "";
			this.send({ type: "set", object: setting.object, attribute: setting.attribute,
				value: input.value });
			input.blur();
		});
		return input;
	}

	answer(reply) {
		this.message.textContent = reply.ok ? "" : reply.text;
	}
}

// Show the kernel's value, but not while the user types.
function showValue(input, value) {
	if (document.activeElement === input || input.value === value)
		return;
	if (input.options && ![...input.options].some((o) => o.value === value))
		input.append(new Option(value, value));
	input.value = value;
}

function labelOf(set, setting) {
	const part = setting.object.slice(set.name.length + 1);
	return part ? `${part}/${setting.attribute}` : setting.attribute;
}
