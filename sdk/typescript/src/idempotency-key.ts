// Idempotency keys: the API pays at most once for each key.

declare const isKey: unique symbol

/** A valid key. Only `idempotencyKey.from` creates one, so that a caller cannot pass an arbitrary string by mistake. */
export type IdempotencyKey = string & { readonly [isKey]: true }

export const idempotencyKey = {
  /**
   * Derives a key from the ID of the thing that you pay for, such as an order. The same ID always gives the same key,
   * also after a crash. If the ID has 8 to 100 letters, digits, `_`, `-`, `:` or `.`, the key is the ID itself, so a
   * stored key can be passed again. Any other ID is hashed.
   */
  from: (id: string): IdempotencyKey => {
    if (typeof id !== 'string' || id === '') throw new TypeError('An idempotency key needs the ID of your order.')
    return requireKey(isValid(id) ? id : `sha256:${sha256(id)}`)
  },
}

/** Checks a key at run time, for callers without types. */
export function requireKey(key: string): IdempotencyKey {
  if (isValid(key)) return key
  throw new TypeError('Pass an idempotencyKey from idempotencyKey.from(id).')
}

function isValid(key: unknown): key is IdempotencyKey {
  return typeof key === 'string' && /^[\w\-:.]{8,100}$/.test(key)
}

/** SHA-256 (FIPS 180-4) in hex. Web Crypto offers only an asynchronous version. */
function sha256(text: string): string {
  const blocks = padded(new TextEncoder().encode(text))
  const { roundConstants, state } = constants()
  const words = new Uint32Array(64)
  for (let start = 0; start < blocks.byteLength; start += 64) {
    for (let i = 0; i < 64; i++) words[i] = i < 16 ? blocks.getUint32(start + 4 * i) : extended(words, i)
    for (const [i, value] of compressed(state, words, roundConstants).entries()) state[i] = at(state, i) + value
  }
  return [...state].map((word) => word.toString(16).padStart(8, '0')).join('')
}

function compressed(state: Uint32Array, words: Uint32Array, roundConstants: Uint32Array): number[] {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < 64; i++) {
    const mixed1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
    const added = h + mixed1 + ((e & f) ^ (~e & g)) + at(roundConstants, i) + at(words, i)
    const mixed0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    ;[a, b, c, d, e, f, g, h] = [(added + mixed0 + majority) | 0, a, b, c, (d + added) | 0, e, f, g]
  }
  return [a, b, c, d, e, f, g, h]
}

function extended(words: Uint32Array, i: number): number {
  const [early, late] = [at(words, i - 15), at(words, i - 2)]
  const sigma0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3)
  const sigma1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10)
  return at(words, i - 16) + sigma0 + at(words, i - 7) + sigma1
}

/** Appends a 1 bit, zeros, and the length in bits. */
function padded(bytes: Uint8Array): DataView {
  const all = new Uint8Array((((bytes.length + 8) >> 6) + 1) << 6)
  all.set(bytes)
  all[bytes.length] = 0x80
  const view = new DataView(all.buffer)
  view.setUint32(all.length - 4, bytes.length * 8)
  return view
}

/** The fractional parts of the roots of the first primes. */
function constants(): { roundConstants: Uint32Array; state: Uint32Array } {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  const fraction = (root: number) => (root % 1) * 2 ** 32
  return {
    roundConstants: Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
    state: Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
  }
}

function rotated(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

function at(words: Uint32Array, i: number): number {
  return words[i] ?? 0
}
