// SPDX-License-Identifier: GPL-2.0-only
// The web socket. It connects again by itself, and speaks only to a daemon that has shown
// that it has the token.

import * as secret from "./secret.js";

const FIRST_DELAY = 500;
const LONGEST_DELAY = 5000;
const NO_TOKEN = "the token is missing or wrong: open the URL that zio-scope prints";
const STRANGER = "what answers here does not have the token: another program has taken " +
	"the port, or zio-scope has a new token: open the URL that zio-scope prints";
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
		this.own = secret.current();
		this.why = NO_ANSWER;
		if (!this.own) {
			this.handlers.state(NO_TOKEN, false);
			return;
		}
		const scheme = location.protocol === "https:" ? "wss:" : "ws:";
		this.socket = new WebSocket(`${scheme}//${location.host}/ws`);
		this.socket.binaryType = "arraybuffer";
		this.socket.onopen = () => this.begin();
		this.socket.onmessage = (event) => this.received(event.data);
		this.socket.onclose = () => this.closed();
	}

	// Use another token, now.
	again() {
		clearTimeout(this.timer);
		this.delay = FIRST_DELAY;
		if (this.socket)
			this.socket.close();
		else
			this.connect();
	}

	begin() {
		this.nonce = secret.makeNonce();
		this.write({ type: "begin", nonce: this.nonce, with: this.own.name });
	}

	received(data) {
		if (typeof data !== "string") {
			if (this.isKnown)
				this.handlers.frame(data);
			return;
		}
		const message = JSON.parse(data);
		if (this.isKnown)
			this.know(message);
		else
			this.judge(message);
	}

	judge(message) {
		const { name, secret: own } = this.own;
		if (message.type !== "challenge" ||
		    message.proof !== secret.proof(own, "daemon", this.nonce, message.nonce)) {
			this.why = name === "run" ? NO_TOKEN : STRANGER;
			this.socket.close();
			return;
		}
		this.isKnown = true;
		this.write({ type: "answer", proof: secret.proof(own, "page", this.nonce, message.nonce) });
	}

	know(message) {
		if (message.type === "refused")
			this.why = message.text;
		if (message.type === "hello") {
			this.delay = FIRST_DELAY;
			secret.keepRun(message.run);
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
