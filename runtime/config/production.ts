// Whether this is production: where it is said, and where nothing is said but people reach us over https.
import type { Reader } from './reader'

/** A forgotten NODE_ENV must not open a public service with secrets of development; who tries one out over https says so. */
export function isProduction(read: Reader): boolean {
  const otherwise = read.text('PUBLIC_URL', '').startsWith('https:') ? 'production' : 'development'
  return read.text('NODE_ENV', otherwise) === 'production'
}
