// What a logo may be: a small picture whose bytes are what it says, and never SVG, which can hold a script.
import { type PictureSize, pictureSize } from './picture-size'

export interface Logo {
  readonly type: LogoType
  readonly bytes: Uint8Array
}

export type LogoType = 'image/png' | 'image/jpeg' | 'image/webp'

/** As base64 it still fits into a request of 64 KiB. */
export const logoMaxBytes = 40 * 1024

/** Few bytes can say that they are a picture of a gigapixel, which whoever shows it has to make room for. */
export const logoMaxPixels = 2_000

/** Null where the bytes are not such a picture, whatever they are called. */
export function logoOf(type: LogoType, bytes: Uint8Array): Logo | null {
  if (bytes.length > logoMaxBytes) return null
  const size = pictureSize(type, bytes)
  return size !== null && isShowable(size) ? { type, bytes } : null
}

function isShowable({ width, height }: PictureSize): boolean {
  return [width, height].every((pixels) => pixels >= 1 && pixels <= logoMaxPixels)
}
