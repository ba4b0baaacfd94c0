// Finds the embedded font, beside this file or in the source tree, and replaces letters that it does not have.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const folders = [join(__dirname, 'fonts'), join(__dirname, '../../../mail/documents/fonts')]

export function fontFile(weight: 'Regular' | 'SemiBold'): string {
  const file = folders.map((folder) => join(folder, `Inter-${weight}.ttf`)).find((each) => existsSync(each))
  if (!file) throw new Error(`The font Inter ${weight} of documents is missing: run \`npm run build\`.`)
  return file
}

/** Keeps Latin, Greek and Cyrillic letters. Missing letters become a box, line breaks become spaces. */
export function printable(text: string): string {
  const oneLine = text.normalize('NFC').replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  return oneLine.replace(foreign, '□')
}

const foreign = new RegExp(
  [
    String.raw`[^\u0020-\u007e\u00a0-\u00ac\u00ae-\u0148\u014a-\u01c3\u01c5-\u024f\u0259\u02b0-\u0304`,
    String.raw`\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03d7\u1f50-\u1f57\u1f5f-\u1f7d\u1f80-\u1fb4`,
    String.raw`\u0400-\u0479\u0480-\u049d\u04a0-\u04ff\u1e00-\u1e9b\u1e9d-\u1eff`,
    String.raw`\u2010-\u2027\u202f-\u2055\u20a0-\u20af\u2116-\u2117\u2122\u2190-\u2193\u2212\u25a1]`,
  ].join(''),
  'gu',
)
