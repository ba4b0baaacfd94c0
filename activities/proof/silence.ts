// Payouts of which nothing was heard for longer than they may take.
import { recordLook } from '../../db/drifts'
import { findSilentPayouts } from '../../db/proof-ledger'
import type { ProofDeps } from './deps'

const atMost = 1_000

export async function proveSilence({ db, clock, patience }: ProofDeps): Promise<{ drifts: number; fresh: number }> {
  const at = clock.now()
  const ago = (ms: number) => new Date(at.getTime() - ms)
  return db.transaction(async (tx) => {
    const [sentBefore, unknownBefore] = [ago(patience.settleWithinMs), ago(patience.knownWithinMs)]
    const findings = await findSilentPayouts(tx, { sentBefore, unknownBefore, limit: atMost })
    const fresh = await recordLook(tx, { walletId: null, kinds: ['silent_payout'], findings, at })
    return { drifts: findings.length, fresh }
  })
}
