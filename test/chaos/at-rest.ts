// The result of the proof once everything is idle, and the false alarms that earlier proofs raised.
import { runProof } from '../../activities/controls/proof/run'
import { listDrifts } from '../../db/controls/proof/drifts'
import { systemClock } from '../../runtime/clock'
import { railsTo } from '../support/stages/payout'
import { limits, log } from '../support/stages/proof'
import type { World } from '../support/system/world'

const shownAtMost = 20

/** Empty if the ledger is consistent and matches the bank's books in every wallet. */
export async function driftsOf({ db, bank }: World): Promise<string[]> {
  const rails = railsTo(bank)
  try {
    const { busy, failed } = await runProof({ db, clock: systemClock, log, rails, limits }, 'full')
    const unproved = busy + failed > 0 ? [`${busy} wallets were busy at rest, ${failed} could not be proved`] : []
    return [...unproved, ...(await listedDrifts({ db }, 'open'))]
  } finally {
    rails.close()
  }
}

/**
 * Drifts that one proof found during the run and a later proof did not. They are false alarms, so there should be none.
 */
export function falseAlarmsOf(world: World): Promise<string[]> {
  return listedDrifts(world, 'gone')
}

async function listedDrifts({ db }: Pick<World, 'db'>, which: 'open' | 'gone'): Promise<string[]> {
  const drifts = await listDrifts(db, which, shownAtMost)
  return drifts.map(({ kind, subject, expected, found }) => `${kind} ${subject}: expected ${expected}, found ${found}`)
}
