// What has waited for longer than it may: payouts of which nothing was heard, and wallets that could not be compared.
import { recordLook } from '../../../db/controls/proof/drifts'
import { findNotCompared, findSilentPayouts } from '../../../db/controls/proof/overdue'
import { overdueDrifts } from '../../../domain/controls/drift'
import type { ProofDeps } from './look'

const atMost = 1_000

export async function proveSilence({
  db,
  clock,
  patience,
}: Pick<ProofDeps, 'db' | 'clock' | 'patience'>): Promise<{ drifts: number; fresh: number }> {
  const at = clock.now()
  const ago = (ms: number) => new Date(at.getTime() - ms)
  return db.transaction(async (tx) => {
    const [sentBefore, unknownBefore] = [ago(patience.settleWithinMs), ago(patience.knownWithinMs)]
    const silent = await findSilentPayouts(tx, { sentBefore, unknownBefore, limit: atMost })
    const notCompared = await findNotCompared(tx, { before: ago(patience.comparedWithinMs), limit: atMost })
    const findings = [...silent, ...notCompared]
    const { fresh, open } = await recordLook(tx, { walletId: null, kinds: overdueDrifts, findings, at })
    return { drifts: open.length, fresh }
  })
}
