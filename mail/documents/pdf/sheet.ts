// The page of an invoice: A4, two font weights, colours, and text tagged for screen readers.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** Lengths are in points, 72 to the inch. */
export const page = { width: 595.28, height: 841.89, left: 56, right: 539.28, top: 56, bottom: 772 }

export const colours = {
  ink: '#16202e',
  soft: '#5a6675',
  line: '#d9dee5',
  accent: '#0f766e',
  paid: '#1c7a4a',
  void: '#b3261e',
}

type Doc = PDFKit.PDFDocument
export type Tag = PDFKit.PDFStructureElement

type Weight = 'Regular' | 'SemiBold'

export interface Style {
  readonly size: number
  readonly weight?: Weight
  readonly colour?: string
  readonly align?: 'left' | 'right' | 'center'
}

export interface Sheet {
  readonly doc: Doc
  /** The root of the tags, which are in reading order. */
  readonly root: Tag
  /** Writes tagged text in a box. Returns the position at which the text ends. */
  readonly write: (parent: Tag, tag: string, text: string, box: Box, style: Style) => number
  readonly heightOf: (text: string, width: number, style: Style) => number
  /** Draws lines, marks and repeated parts without tags. */
  readonly decorate: (draw: () => void) => void
  readonly plain: (text: string, box: Box, style: Style) => void
  readonly rule: (y: number, from: number, to: number, colour: string, widthPt?: number) => void
  readonly finish: () => Promise<Buffer>
}

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
}

/** Title and subject must not contain text from a partner, because pdfkit does not escape them in the XML metadata. */
interface SheetOptions {
  readonly title: string
  readonly subject: string
  /** As YYYY-MM-DD. The metadata contains only this date, so that the bytes are deterministic. */
  readonly day: string
}

export async function createSheet({ title, subject, day }: SheetOptions): Promise<Sheet> {
  // Imports pdfkit with the first invoice, because importing it at startup would delay every start.
  const { default: Pdf } = await import('pdfkit')
  const at = new Date(`${day}T00:00:00.000Z`)
  const doc = new Pdf({
    size: 'A4',
    margins: { top: page.top, left: page.left, right: page.width - page.right, bottom: 0 },
    pdfVersion: '1.7',
    lang: 'en-GB',
    tagged: true,
    displayTitle: true,
    bufferPages: true,
    // No default font: the default is Helvetica, which is not embedded.
    font: '',
    info: { Title: title, Subject: subject, CreationDate: at, ModDate: at },
  })
  const finished = collect(doc)
  const fonts = { Regular: fontOf('Regular'), SemiBold: fontOf('SemiBold') }
  // With a name, the document opens each font once.
  const useFont = (weight: Weight) => doc.font(fonts[weight], `Inter-${weight}`)
  useFont('Regular')
  const root = doc.struct('Document')
  doc.addStructure(root)

  const draw = (text: string, { x, y, width }: Box, style: Style) => {
    const { size, weight = 'Regular', colour = colours.ink } = style
    useFont(weight).fontSize(size).fillColor(colour)
    doc.text(text, x, y, { width, ...layoutOf(style) })
  }
  const heightOf = (text: string, width: number, style: Style) => {
    useFont(style.weight ?? 'Regular').fontSize(style.size)
    return doc.heightOfString(printable(text), { width, ...layoutOf(style) })
  }
  return {
    doc,
    root,
    heightOf,
    write(parent, tag, text, box, style) {
      const shown = printable(text)
      parent.add(doc.struct(tag, shown === text ? {} : { actual: text }, () => draw(shown, box, style)))
      return box.y + heightOf(text, box.width, style)
    },
    decorate(drawing) {
      doc.markContent('Artifact')
      drawing()
      doc.endMarkedContent()
    },
    plain: (text, box, style) => draw(printable(text), box, style),
    rule(y, from, to, colour, widthPt = 0.6) {
      doc.moveTo(from, y).lineTo(to, y).lineWidth(widthPt).strokeColor(colour).stroke()
    },
    async finish() {
      root.end()
      doc.end()
      return finished
    },
  }
}

/** Amounts are right-aligned. Tabular digits make their columns line up. */
function layoutOf({ size, align = 'left' }: Style) {
  return { align, lineGap: size * 0.22, features: align === 'right' ? ['tnum' as const] : [] }
}

function collect(doc: Doc): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    doc.on('data', (piece: Buffer) => pieces.push(piece))
    doc.once('end', () => resolve(Buffer.concat(pieces)))
    doc.once('error', reject)
  })
}

type Font = PDFKit.Mixins.PDFFontSource & object

/** A dependency of pdfkit. It has no types, and those of pdfkit omit that it accepts a parsed font. */
interface Fontkit {
  readonly openSync: (file: string) => Font
}

const parsedFonts = new Map<Weight, Font>()

/**
 * Parses each font once, because parsing its kerning tables for every invoice takes most of the time. Each document
 * has its own glyphs: a glyph keeps the first character that it was used for, and several characters share a glyph.
 */
function fontOf(weight: Weight): Font {
  let parsed = parsedFonts.get(weight)
  if (parsed === undefined) {
    const { openSync }: Fontkit = createRequire(require.resolve('pdfkit'))('fontkit')
    parsed = openSync(fontFile(weight))
    parsedFonts.set(weight, parsed)
  }
  return Object.create(parsed, { _glyphs: { value: {} } })
}

/** The fonts are in the build or, without a build, in the source tree. */
const folders = [join(__dirname, '../fonts'), join(__dirname, '../../../../mail/documents/fonts')]

export function fontFile(weight: Weight): string {
  const file = folders.map((folder) => join(folder, `Inter-${weight}.ttf`)).find((each) => existsSync(each))
  if (!file) throw new Error(`The font Inter ${weight} is missing: run \`npm run build\`.`)
  return file
}

/** Keeps Latin, Greek and Cyrillic characters. Replaces other characters with a box, and line breaks with spaces. */
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
