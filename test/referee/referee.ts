// The referee checks the rules I1–I10, which must hold after every story. The rule files describe them.
import type { Db } from '../../db/database'
import { until } from '../support/until'
import { auditRules } from './audit-rules'
import { type BankBooks, bankRules, readBank } from './bank-rules'
import { billingRules } from './billing-rules'
import { clientRules, type Seen } from './client-rules'
import { ledgerRules } from './ledger-rules'
import { pathRules } from './path-rules'
import type { Records } from './records'
import { type Canary, secretRules } from './secret-rules'

export type { Seen } from './client-rules'
export type { Canary } from './secret-rules'

export interface Evidence {
  readonly records: Records
  /** The same database. The referee seals its unsealed rows and verifies the audit chain. */
  readonly audited: Db
  /** The URL of the bank's control API, from which the referee reads the bank's records. */
  readonly bankControlUrl: string
  /** Every answer that a client got, in the order of arrival. */
  readonly seen: readonly Seen[]
  /** Values that must appear only in sealed columns, or in the column that the canary allows. */
  readonly canaries: readonly Canary[]
  /** Other places to search for canaries: logs and workflow histories. */
  readonly texts: readonly { readonly where: string; readonly text: string }[]
  /** Payouts that a story leaves open on purpose, because they need an operator's decision. */
  readonly leftOpen?: readonly string[]
  /** How long payouts may take to close (I7), and rows to be sealed (I9). */
  readonly withinMs?: number
}

/** Long enough for a busy machine, because slowness is not a violation. */
const restMs = 600_000

export async function referee(evidence: Evidence): Promise<void> {
  const violations = await findViolations(evidence)
  if (violations.length > 0) throw new Error(`The referee objects:\n${violations.join('\n')}`)
}

export async function findViolations(evidence: Evidence): Promise<string[]> {
  const unrested = await rest(evidence)
  const bank = await readBank(evidence.bankControlUrl)
  const found = [
    unrested,
    await ledgerRules(evidence.records),
    await billingRules(evidence.records),
    await pathRules(evidence.records),
    await auditRules(evidence.audited, evidence.withinMs ?? restMs),
    await bankRules(evidence.records, bank, evidence.leftOpen ?? []),
    await clientRules(evidence.records, bank, evidence.seen),
    await secretRules(evidence.records, evidence.canaries, evidence.texts),
  ]
  return found.flat()
}

export type { BankBooks }

/** I7: every payout is closed in time. */
async function rest({ records, leftOpen = [], withinMs = restMs }: Evidence): Promise<string[]> {
  let open: { id: string; status: string; says: string }[] = []
  const closed = async () => {
    open = await records.query(
      `SELECT id::text, status, concat_ws(' ', verdict, transfer_state, attention) AS says FROM payouts
        WHERE released_at IS NULL AND closed_at IS NULL AND id::text <> ALL ($1::text[])`,
      [leftOpen],
    )
    return open.length === 0
  }
  try {
    await until('all payouts are closed', closed, withinMs)
    return []
  } catch {
    return open.map(({ id, status, says }) => `I7 payout ${id} is still open: ${status} ${says}`)
  }
}
