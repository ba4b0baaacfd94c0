// Validates logos, which are small images whose bytes match their type. Rejects SVG, because it can contain scripts.

export interface Logo {
  readonly type: LogoType
  readonly bytes: Uint8Array
}

type LogoType = 'image/png' | 'image/jpeg' | 'image/webp'

/** As base64, this fits into a request of 64 KiB. */
export const logoMaxBytes = 40 * 1024

/** A small file can declare a gigapixel image, which would exhaust the viewer's memory. */
export const logoMaxPixels = 2_000

/** Returns null if the bytes are not an image of the given type, or if the image is too large. */
export function logoOf(type: LogoType, bytes: Uint8Array): Logo | null {
  if (bytes.length > logoMaxBytes) return null
  const size = pictureSize(type, bytes)
  return size !== null && isShowable(size) ? { type, bytes } : null
}

function isShowable({ width, height }: PictureSize): boolean {
  return [width, height].every((pixels) => pixels >= 1 && pixels <= logoMaxPixels)
}

interface PictureSize {
  readonly width: number
  readonly height: number
}

/** Reads the dimensions from the header. Returns null if the bytes are not of that type or end within the header. */
export function pictureSize(type: 'image/png' | 'image/jpeg' | 'image/webp', bytes: Uint8Array): PictureSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (type === 'image/png') return sizeOfPng(view)
  return type === 'image/jpeg' ? sizeOfJpeg(view) : sizeOfWebp(view)
}

/** A PNG starts with its signature, then the IHDR chunk with 13 bytes and a checksum. */
function sizeOfPng(view: DataView): PictureSize | null {
  if (view.byteLength < 33 || !says(view, 0, '\x89PNG\r\n\x1a\n\0\0\0\rIHDR')) return null
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

/** A JPEG is a sequence of segments, each with a marker and a length. The frame segment has the dimensions. */
function sizeOfJpeg(view: DataView): PictureSize | null {
  if (!says(view, 0, '\xff\xd8')) return null
  let at = 2
  while (at + 4 <= view.byteLength && view.getUint8(at) === 0xff) {
    const [marker, length] = [view.getUint8(at + 1), view.getUint16(at + 2)]
    const end = at + 2 + length
    if (length < 2 || end > view.byteLength) return null
    if (isFrame(marker)) return length < 8 ? null : { width: view.getUint16(at + 7), height: view.getUint16(at + 5) }
    at = end
  }
  return null
}

/** Some markers in this range are not frames: tables (C4, CC) and a reserved one (C8). */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

/** The first chunk of a WebP has one of three types, each with its own encoding of the dimensions. */
function sizeOfWebp(view: DataView): PictureSize | null {
  if (view.byteLength < 30 || !says(view, 0, 'RIFF') || !says(view, 8, 'WEBP')) return null
  if (view.getUint32(4, true) + 8 > view.byteLength) return null
  if (says(view, 12, 'VP8 ') && says(view, 23, '\x9d\x01\x2a')) {
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  }
  if (says(view, 12, 'VP8L') && says(view, 20, '\x2f')) {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  }
  if (!says(view, 12, 'VP8X')) return null
  return { width: (view.getUint32(24, true) & 0xffffff) + 1, height: (view.getUint32(26, true) >>> 8) + 1 }
}

function says(view: DataView, at: number, text: string): boolean {
  if (at + text.length > view.byteLength) return false
  return Array.from(text).every((letter, offset) => view.getUint8(at + offset) === letter.charCodeAt(0))
}
