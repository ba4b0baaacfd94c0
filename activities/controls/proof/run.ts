// Runs the complete proof that an operator starts, checks for overdue items, and emails drifts to the operators.

import { recordDriftCheck, takeUnreportedDrifts } from '../../../db/controls/proof/drifts'
import { findSilentPayouts, findUncomparedWallets } from '../../../db/controls/proof/overdue'
import { enqueueNotice } from '../../../db/partners/mails'
import { overdueDrifts } from '../../../domain/controls/drift'
import { environments } from '../../../domain/environment'
import { driftMessage } from '../../../mail/messages/operators'
import type { Proved } from '../../../workflows/controls/proof'
import type { ActivityDeps } from '../../bind'
import { type ProofDepth, provePage } from './prove-wallets'
import type { ProofDeps } from './snapshot'

const pageSize = 50

/** Reconciles all wallets and runs all checks. */
export async function runProof(deps: ProofDeps, depth: ProofDepth = 'changes'): Promise<Proved> {
  const sum = { wallets: 0, drifts: 0, fresh: 0, busy: 0, failed: 0 }
  const add = (found: Partial<Proved>) => {
    for (const name of ['wallets', 'drifts', 'fresh', 'busy', 'failed'] as const) sum[name] += found[name] ?? 0
  }
  for (const environment of environments) {
    let after: string | null = null
    do {
      const page = { environment, after, limit: pageSize }
      const { next, ...found }: Proved & { next: string | null } = await provePage(deps, page, { depth })
      add(found)
      after = next
    } while (after !== null)
  }
  add(await proveSilence(deps))
  return sum
}

const atMost = 1_000

/** Records payouts that the bank has not updated in time, and wallets that were not compared with the bank in time. */
export async function proveSilence({
  db,
  clock,
  limits,
}: Pick<ProofDeps, 'db' | 'clock' | 'limits'>): Promise<{ drifts: number; fresh: number }> {
  const at = clock.now()
  const ago = (ms: number) => new Date(at.getTime() - ms)
  return db.transaction(async (tx) => {
    const [sentBefore, unknownBefore] = [ago(limits.settleWithinMs), ago(limits.knownWithinMs)]
    const silent = await findSilentPayouts(tx, { sentBefore, unknownBefore, limit: atMost })
    const notCompared = await findUncomparedWallets(tx, { before: ago(limits.comparedWithinMs), limit: atMost })
    const findings = [...silent, ...notCompared]
    const { fresh, open } = await recordDriftCheck(tx, { walletId: null, kinds: overdueDrifts, findings, at })
    return { drifts: open.length, fresh }
  })
}

type TellDeps = Pick<ActivityDeps, 'db' | 'clock' | 'keyring' | 'opsEmail'>

const atOnceInAMail = 50

/**
 * Queues one email to the operators about unreported drifts, up to a limit. The same transaction marks these drifts as
 * reported.
 */
export async function tellDrifts({ db, clock, keyring, opsEmail }: TellDeps): Promise<number> {
  if (opsEmail === null) return 0
  const at = clock.now()
  return db.transaction(async (tx) => {
    const drifts = await takeUnreportedDrifts(tx, { at, limit: atOnceInAMail })
    if (drifts.length === 0) return 0
    const mail = driftMessage({ address: opsEmail, drifts })
    await enqueueNotice(tx, keyring, { mail, at })
    return drifts.length
  })
}
