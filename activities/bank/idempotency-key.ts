// A bank's Idempotency-Key, made of what it is for: whoever repeats the call, in whichever process, repeats its key.
import { createHash } from 'node:crypto'

export function bankKeyFor(purpose: string): string {
  const hex = createHash('sha256').update(purpose).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}
