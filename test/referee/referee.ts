// The referee: the rules that hold after every story, whatever went wrong in it (I1–I10, each named in its rule file).
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
  /** The database. */
  readonly records: Records
  /** The same database, for its audit chain: the referee seals unsealed rows. */
  readonly audited: Db
  /** The address of the bank's control API, whose records are the evidence. */
  readonly bankControlUrl: string
  /** Every answer that a client got, in the order of arrival. */
  readonly seen: readonly Seen[]
  /** Values that may be in sealed columns only. */
  readonly canaries: readonly Canary[]
  /** Where else a canary could be: logs and workflow histories. */
  readonly texts: readonly { readonly where: string; readonly text: string }[]
  /** Payouts that a story leaves open on purpose, because an operator has to decide about them. */
  readonly leftOpen?: readonly string[]
  /** How long everything may take to become idle (I7). */
  readonly withinMs?: number
}

const restMs = 60_000

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

/** I7: everything becomes idle in time. */
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
