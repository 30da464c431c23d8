// SPDX-License-Identifier: GPL-2.0-only
// The token of this run of the daemon. The browser keeps it until the page is closed, so
// that the page can be reloaded.

const KEY = "zio-scope-token";

// Remove the token from the address bar and the history of the browser.
export function take() {
	const token = new URLSearchParams(location.hash.slice(1)).get("token");
	if (token !== null)
		sessionStorage.setItem(KEY, token);
	if (location.hash || location.search)
		history.replaceState(null, "", "/");
}

// Return the token of the page; null or "" if it has none.
export function current() {
	return sessionStorage.getItem(KEY);
}
