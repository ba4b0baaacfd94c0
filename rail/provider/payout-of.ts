// Asks which payout a transfer names, whatever kind of transfer it is: not all of a bank's are payouts.
import { part, readAnswer } from './ask'
import type { Answer, Client } from './client'
import { optionalTextAt } from './fields'
import { readError } from './map'

/** Null when it names none, and when the bank has no such transfer. */
export async function payoutOf(client: Client, transferRef: string): Promise<string | null> {
  const answer = await client.call({ method: 'GET', path: `/transfers/${part(transferRef)}` })
  if (isNotFound(answer)) return null
  return readAnswer('transfer', answer, (body) => optionalTextAt(body, 'client_reference_id'))
}

function isNotFound(answer: Answer): boolean {
  if (answer.stage !== 'answered') return false
  return answer.status === 404 || (answer.status === 400 && readError(answer.body).code === 'not_found')
}
