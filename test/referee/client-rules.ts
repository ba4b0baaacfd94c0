// I5 and I6 from the client's side: an acknowledged payout exists, and a refused one was never sent.

import { isRefusal } from '../../domain/payouts/payout'
import type { BankBooks } from './bank-rules'
import type { Records } from './records'

/** One answer to POST /v1/payouts. */
export interface Seen {
  readonly partnerId: string
  readonly environment: string
  readonly key: string
  readonly status: number
  readonly payoutId: string | null
  readonly amountGbp: string | null
  readonly code: string | null
}

interface Stored {
  readonly id: string
  readonly pence: string
  readonly released: boolean
}

export async function clientRules(records: Records, bank: BankBooks, seen: readonly Seen[]): Promise<string[]> {
  const stored = new Map<string, Stored>()
  const rows: (Stored & { name: string })[] = await records.query(`
    SELECT partner_id || '/' || environment || '/' || idempotency_key AS name, id::text, amount_pence::text AS pence,
      released_at IS NOT NULL AS released FROM payouts`)
  for (const row of rows) stored.set(row.name, row)
  const acknowledged = new Set(seen.filter(({ status }) => isAcknowledged(status)).map(nameOf))
  return seen.flatMap((answer) => {
    const row = stored.get(nameOf(answer))
    if (isAcknowledged(answer.status)) return acknowledgedRules(answer, row)
    return acknowledged.has(nameOf(answer)) ? [] : refusedRules(answer, row, bank)
  })
}

function acknowledgedRules(answer: Seen, row: Stored | undefined): string[] {
  const about = `I5 ${answer.status} for ${answer.key}`
  if (row === undefined || row.released) return [`${about} and there is no such payout`]
  if (row.id !== answer.payoutId) return [`${about} named ${answer.payoutId}, stored is ${row.id}`]
  const pence = answer.amountGbp?.replace('.', '') ?? ''
  return BigInt(pence || '0') === BigInt(row.pence)
    ? []
    : [`${about} said ${answer.amountGbp}, stored are ${row.pence}`]
}

/** After a refusal, the bank must have no transfer for the key, and the key must be free. */
function refusedRules(answer: Seen, row: Stored | undefined, bank: BankBooks): string[] {
  if (row === undefined || answer.code === null || !isRefusal(answer.code)) return []
  const about = `I6 ${answer.status} ${answer.code} for ${answer.key}`
  if (bank.transfers.some(({ payoutId }) => payoutId === row.id)) return [`${about} and the bank has a transfer`]
  return row.released ? [] : [`${about} and the key is not free`]
}

function isAcknowledged(status: number): boolean {
  return status === 200 || status === 201
}

function nameOf({ partnerId, environment, key }: Seen): string {
  return `${partnerId}/${environment}/${key}`
}
