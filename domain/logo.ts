// What a logo may be: a small picture whose bytes are what it says, and never SVG, which can hold a script.

export interface Logo {
  readonly type: LogoType
  readonly bytes: Uint8Array
}

export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp'

/** As base64 it still fits into a request of 64 KiB. */
export const logoMaxBytes = 40 * 1024

/** Null where the bytes are not such a picture, whatever they are called. */
export function logoOf(type: LogoType, bytes: Uint8Array): Logo | null {
  if (bytes.length > logoMaxBytes) return null
  return beginnings[type].every(({ at, is }) => is.every((byte, offset) => bytes[at + offset] === byte))
    ? { type, bytes }
    : null
}

const ascii = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0))

const beginnings: Readonly<Record<LogoType, readonly { readonly at: number; readonly is: readonly number[] }[]>> = {
  'image/png': [{ at: 0, is: [0x89, ...ascii('PNG\r\n'), 0x1a, 0x0a] }],
  'image/jpeg': [{ at: 0, is: [0xff, 0xd8, 0xff] }],
  'image/webp': [
    { at: 0, is: ascii('RIFF') },
    { at: 8, is: ascii('WEBP') },
  ],
}
