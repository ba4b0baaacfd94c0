// Finds the payout that a transfer names. Not every transfer is a payout.
import { isNotFound, part, readAnswer } from '../ask'
import type { Client } from '../client'
import { optionalTextAt } from '../fields'

/** Null if it names none, or if the bank has no such transfer. */
export async function payoutOf(client: Client, transferRef: string): Promise<string | null> {
  const answer = await client.call({ method: 'GET', path: `/transfers/${part(transferRef)}` })
  if (isNotFound(answer)) return null
  return readAnswer('transfer', answer, (body) => optionalTextAt(body, 'client_reference_id'))
}
