// SPDX-License-Identifier: GPL-2.0-only
// The token of this run of the daemon. The browser keeps it for this page, until the page
// is closed, so that the page can be loaded again.

const KEY = "zio-scope-token";

// The address bar and the history of the browser do not keep the token.
export function take() {
	const token = new URLSearchParams(location.hash.slice(1)).get("token");
	if (token !== null)
		sessionStorage.setItem(KEY, token);
	if (location.hash || location.search)
		history.replaceState(null, "", "/");
}

// Return the token that the page has; null or "" if it has none.
export function current() {
	return sessionStorage.getItem(KEY);
}
