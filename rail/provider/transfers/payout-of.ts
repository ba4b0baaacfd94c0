// Asks which payout a transfer names, whatever kind of transfer it is: not all of a bank's are payouts.
import { isNotFound, part, readAnswer } from '../ask'
import type { Client } from '../client'
import { optionalTextAt } from '../fields'

/** Null when it names none, and when the bank has no such transfer. */
export async function payoutOf(client: Client, transferRef: string): Promise<string | null> {
  const answer = await client.call({ method: 'GET', path: `/transfers/${part(transferRef)}` })
  if (isNotFound(answer)) return null
  return readAnswer('transfer', answer, (body) => optionalTextAt(body, 'client_reference_id'))
}
