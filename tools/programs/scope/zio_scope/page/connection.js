// SPDX-License-Identifier: GPL-2.0-only
// The web socket. It sends the token first, and reconnects by itself.

import * as secret from "./secret.js";

const FIRST_DELAY = 500;
const LONGEST_DELAY = 5000;
const NO_TOKEN = "the token is missing or wrong: open the URL that zio-scope prints";
const NO_ANSWER = "the daemon does not answer: trying again. Is zio-scope running?";

export class Connection {
	// handlers: state(text, isGood), message(object), frame(buffer), open()
	constructor(handlers) {
		this.handlers = handlers;
		this.delay = FIRST_DELAY;
		this.socket = null;
		this.isKnown = false;
		this.connect();
	}

	connect() {
		this.why = NO_ANSWER;
		if (!secret.current()) {
			this.handlers.state(NO_TOKEN, false);
			return;
		}
		const scheme = location.protocol === "https:" ? "wss:" : "ws:";
		this.socket = new WebSocket(`${scheme}//${location.host}/ws`);
		this.socket.binaryType = "arraybuffer";
		this.socket.onopen = () => this.write({ type: "begin", token: secret.current() });
		this.socket.onmessage = (event) => this.received(event.data);
		this.socket.onclose = () => this.closed();
	}

	// Switch to another token now.
	again() {
		clearTimeout(this.timer);
		this.delay = FIRST_DELAY;
		if (this.socket)
			this.socket.close();
		else
			this.connect();
	}

	received(data) {
		if (typeof data !== "string") {
			this.handlers.frame(data);
			return;
		}
		const message = JSON.parse(data);
		if (message.type === "refused")
			this.why = message.text;
		if (message.type === "hello") {
			this.isKnown = true;
			this.delay = FIRST_DELAY;
			this.handlers.state("connected", true);
			this.handlers.message(message);
			this.handlers.open();
			return;
		}
		this.handlers.message(message);
	}

	closed() {
		this.socket = null;
		this.isKnown = false;
		this.handlers.state(this.why, false);
		this.timer = setTimeout(() => this.connect(), this.delay);
		this.delay = Math.min(this.delay * 1.6, LONGEST_DELAY);
	}

	write(message) {
		if (this.socket?.readyState === WebSocket.OPEN)
			this.socket.send(JSON.stringify(message));
	}

	send(message) {
		if (this.isKnown)
			this.write(message);
	}
}
