// Reads a request's body, up to a limit.
import type { IncomingMessage } from 'node:http'
import { refusal } from './errors'

export const bodyLimitBytes = 256 * 1024

export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  let size = 0
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > bodyLimitBytes) break
      pieces.push(piece)
    }
  } catch {
    throw refusal(400, 'bad_request', 'The request broke off.')
  }
  if (size > bodyLimitBytes) throw refusal(413, 'payload_too_large', `A body may have ${bodyLimitBytes} bytes.`)
  return Buffer.concat(pieces)
}
