// SPDX-License-Identifier: GPL-2.0-only
// What the page has to show to the daemon. The token is in the memory of the page alone. A
// page that is loaded again has the key of this run of the daemon, which ends with the
// run: a program that takes the port then may read what the page has stored.

import { hmac } from "./sha256.js";

const KEY = "zio-scope-run";
let token = null;

// The address bar and the history of the browser do not keep the token.
export function take() {
	token = new URLSearchParams(location.hash.slice(1)).get("token") ?? token;
	if (location.hash || location.search)
		history.replaceState(null, "", "/");
}

export function keepRun(key) {
	sessionStorage.setItem(KEY, key);
}

// Return the name of the secret that the page has, and the secret; null if it has none.
export function current() {
	const run = sessionStorage.getItem(KEY);
	if (token)
		return { name: "token", secret: token };
	return run ? { name: "run", secret: run } : null;
}

export function makeNonce() {
	const bytes = crypto.getRandomValues(new Uint8Array(16));
	return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// who: "page" or "daemon"
export function proof(secret, who, pageNonce, daemonNonce) {
	return hmac(secret, `zio-scope ${who} ${pageNonce} ${daemonNonce}`);
}
