// Extracts the text of our PDFs: unpacks the streams and maps glyph numbers to text with the fonts' own maps.
import { inflateSync } from 'node:zlib'

export interface ReadPdf {
  /** The text of all pages, one line for each piece of text. */
  readonly text: string
  readonly byPage: readonly string[]
  readonly pages: number
  /** Raw objects and unpacked streams. */
  readonly all: string
}

export function readPdf(bytes: Buffer): ReadPdf {
  const objects = objectsOf(bytes)
  const all = [...objects.values()].join('\n')
  const maps = fontMaps(objects)
  const pageObjects = [...objects.values()].filter((object) => /\/Type \/Page\b/.test(object))
  const byPage = pageObjects.map((page) => textOf(objects.get(referenced(page, 'Contents')) ?? '', maps))
  return { text: byPage.join('\n'), byPage, pages: byPage.length, all }
}

function objectsOf(bytes: Buffer): Map<string, string> {
  const text = bytes.toString('latin1')
  const objects = new Map<string, string>()
  for (const [, id = '', body = ''] of text.matchAll(/(\d+) 0 obj\n([\s\S]*?)\nendobj/g))
    objects.set(id, unpacked(body))
  return objects
}

function unpacked(body: string): string {
  const [, head = '', stream]: (string | undefined)[] = /^([\s\S]*?)\nstream\n([\s\S]*)\nendstream$/.exec(body) ?? [
    '',
    body,
  ]
  if (stream === undefined) return head
  const bytes = Buffer.from(stream, 'latin1')
  return `${head}\nstream\n${head.includes('/FlateDecode') ? inflateSync(bytes).toString('latin1') : stream}`
}

/** Glyph maps, keyed by the name that pages use for the font: F1, F2 … */
function fontMaps(objects: Map<string, string>): Map<string, Map<number, string>> {
  const maps = new Map<string, Map<number, string>>()
  for (const object of objects.values()) {
    for (const [, name = '', id = ''] of object.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      maps.set(name, glyphsOf(objects.get(referenced(objects.get(id) ?? '', 'ToUnicode')) ?? ''))
    }
  }
  return maps
}

function glyphsOf(map: string): Map<number, string> {
  const glyphs = new Map<number, string>()
  for (const [, from = '', list = ''] of map.matchAll(/<([0-9a-f]{4})> <[0-9a-f]{4}> \[([^\]]*)\]/g)) {
    const texts = [...list.matchAll(/<([0-9a-f ]*)>/g)].map(([, hex = '']) => fromUtf16(hex))
    for (const [index, text] of texts.entries()) glyphs.set(Number.parseInt(from, 16) + index, text)
  }
  return glyphs
}

function textOf(content: string, maps: Map<string, Map<number, string>>): string {
  const lines: string[] = []
  let glyphs = new Map<number, string>()
  for (const [, font, pieces] of content.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\] TJ/g)) {
    if (font) glyphs = maps.get(font) ?? new Map()
    if (pieces) lines.push(wordsOf(pieces, glyphs))
  }
  return lines.join('\n')
}

function wordsOf(pieces: string, glyphs: Map<number, string>): string {
  const hex = [...pieces.matchAll(/<([0-9a-f]*)>/g)].map(([, digits]) => digits).join('')
  return (hex.match(/.{4}/g) ?? []).map((code) => glyphs.get(Number.parseInt(code, 16)) ?? '?').join('')
}

function fromUtf16(hex: string): string {
  return Buffer.from(hex.replaceAll(' ', ''), 'hex').swap16().toString('utf16le')
}

function referenced(object: string, name: string): string {
  return new RegExp(`/${name} (\\d+) 0 R`).exec(object)?.[1] ?? ''
}
