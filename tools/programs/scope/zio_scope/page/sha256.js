// SPDX-License-Identifier: GPL-2.0-only
// SHA-256 (FIPS 180-4) and HMAC (FIPS 198-1). A browser offers its own ones only to pages
// that come by TLS or from its machine.

const BLOCK = 64;
const primes = [];
for (let n = 2; primes.length < 64; n++)
	if (primes.every((p) => n % p))
		primes.push(n);
const fraction = (x) => (x - Math.floor(x)) * 2 ** 32 >>> 0;
const K = Uint32Array.from(primes, (p) => fraction(Math.cbrt(p)));
const BEGIN = Uint32Array.from(primes.slice(0, 8), (p) => fraction(Math.sqrt(p)));

const rotate = (x, n) => x >>> n | x << 32 - n;

function pad(bytes) {
	const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK) * BLOCK);
	padded.set(bytes);
	padded[bytes.length] = 0x80;
	const view = new DataView(padded.buffer);
	view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
	view.setUint32(padded.length - 4, bytes.length * 8);
	return view;
}

function schedule(view, at) {
	const w = new Uint32Array(64);
	for (let i = 0; i < 16; i++)
		w[i] = view.getUint32(at + 4 * i);
	for (let i = 16; i < 64; i++) {
		const [a, b] = [w[i - 15], w[i - 2]];
		w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >>> 3) +
			w[i - 7] + (rotate(b, 17) ^ rotate(b, 19) ^ b >>> 10);
	}
	return w;
}

function compress(state, w) {
	let [a, b, c, d, e, f, g, h] = state;
	for (let i = 0; i < 64; i++) {
		const one = h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
			(e & f ^ ~e & g) + K[i] + w[i];
		const two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + (a & b ^ a & c ^ b & c);
		[h, g, f, e, d, c, b, a] = [g, f, e, d + one | 0, c, b, a, one + two | 0];
	}
	[a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] += word; });
}

export function sha256(bytes) {
	const view = pad(bytes);
	const state = BEGIN.slice();
	for (let at = 0; at < view.byteLength; at += BLOCK)
		compress(state, schedule(view, at));
	const digest = new DataView(new ArrayBuffer(32));
	state.forEach((word, i) => digest.setUint32(4 * i, word));
	return new Uint8Array(digest.buffer);
}

const encode = (text) => new TextEncoder().encode(text);
const join = (...parts) => Uint8Array.from(parts.flatMap((part) => [...part]));

// Return the code of a text in hexadecimal digits.
export function hmac(secret, text) {
	let key = encode(secret);
	if (key.length > BLOCK)
		key = sha256(key);
	const padded = join(key, new Uint8Array(BLOCK - key.length));
	const inner = sha256(join(padded.map((byte) => byte ^ 0x36), encode(text)));
	const found = sha256(join(padded.map((byte) => byte ^ 0x5c), inner));
	return Array.from(found, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
