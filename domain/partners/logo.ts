// Validates logos: small pictures whose bytes match their type. No SVG, because it can contain scripts.
import { type PictureSize, pictureSize } from './picture-size'

export interface Logo {
  readonly type: LogoType
  readonly bytes: Uint8Array
}

type LogoType = 'image/png' | 'image/jpeg' | 'image/webp'

/** Fits into a request of 64 KiB as base64. */
export const logoMaxBytes = 40 * 1024

/** A small file can declare a gigapixel picture, which would use up the viewer's memory. */
export const logoMaxPixels = 2_000

/** Null if the bytes are not such a picture, whatever the declared type. */
export function logoOf(type: LogoType, bytes: Uint8Array): Logo | null {
  if (bytes.length > logoMaxBytes) return null
  const size = pictureSize(type, bytes)
  return size !== null && isShowable(size) ? { type, bytes } : null
}

function isShowable({ width, height }: PictureSize): boolean {
  return [width, height].every((pixels) => pixels >= 1 && pixels <= logoMaxPixels)
}
