// SPDX-License-Identifier: GPL-2.0-only
// The web socket. It connects again by itself.

const FIRST_DELAY = 500;
const LONGEST_DELAY = 5000;

export class Connection {
	// handlers: state(text, isGood), message(object), frame(buffer), open()
	constructor(handlers) {
		this.handlers = handlers;
		this.delay = FIRST_DELAY;
		this.socket = null;
		this.connect();
	}

	connect() {
		const scheme = location.protocol === "https:" ? "wss:" : "ws:";
		const socket = new WebSocket(`${scheme}//${location.host}/ws`);
		socket.binaryType = "arraybuffer";
		socket.onopen = () => this.opened(socket);
		socket.onmessage = (event) => this.received(event.data);
		socket.onclose = () => this.closed();
	}

	opened(socket) {
		this.socket = socket;
		this.delay = FIRST_DELAY;
		this.handlers.state("connected", true);
		this.handlers.open();
	}

	received(data) {
		if (typeof data === "string")
			this.handlers.message(JSON.parse(data));
		else
			this.handlers.frame(data);
	}

	async closed() {
		this.socket = null;
		this.handlers.state(await whyClosed(), false);
		setTimeout(() => this.connect(), this.delay);
		this.delay = Math.min(this.delay * 1.6, LONGEST_DELAY);
	}

	send(message) {
		if (this.socket?.readyState === WebSocket.OPEN)
			this.socket.send(JSON.stringify(message));
	}
}

async function whyClosed() {
	try {
		const reply = await fetch("/", { method: "HEAD", cache: "no-store" });
		if (reply.status === 403)
			return "the token is no longer right: open the URL that zio-scope prints";
		return "the daemon refuses the connection: trying again";
	} catch {
		return "the daemon does not answer: trying again. Is zio-scope running?";
	}
}
