// The dependencies of payout activities, twice: with brief calls to the bank while a caller waits, with long ones otherwise.

import type { ActivityDeps, PayoutDeps } from '../activities/bind'
import type { Db } from '../db/database'
import { openKeyring } from '../db/keyring'
import { createRails, type Rails, type RailsOptions } from '../rail/rails'
import { type Clock, systemClock } from '../runtime/clock'
import type { Config } from '../runtime/config/config'
import type { Log } from '../runtime/log'

interface PayoutParts {
  readonly brief: PayoutDeps
  readonly patient: PayoutDeps
  readonly patientRails: Rails
  /** Closes the connections to the banks. */
  close(): void
}

/** By environment; null if not configured. */
export function banksOf(bank: Config['bank'], rails: Rails): ActivityDeps['banks'] {
  return {
    sandbox: bank.sandbox === null ? null : rails.provider_sandbox,
    live: bank.live === null ? null : rails.provider_production,
  }
}

type PayoutPartsConfig = Pick<Config, 'bank' | 'payouts' | 'secretKeys'>

interface PayoutPartsDeps extends Pick<RailsOptions, 'around'> {
  readonly db: Db
  readonly log: Log
  readonly clock?: Clock
}

export function createPayoutParts(
  { bank, payouts, secretKeys }: PayoutPartsConfig,
  { db, log, clock = systemClock, around }: PayoutPartsDeps,
): PayoutParts {
  const { briefCallMs, briefConnectMs, patientCallMs, repeatForMs, quietMs, answerWithinMs } = payouts
  const railsWithin = (callMs: number, connectMs: number) =>
    createRails({ bank, clock, timeouts: { callMs, connectMs: Math.min(connectMs, callMs) }, around })
  const briefRails = railsWithin(briefCallMs, briefConnectMs)
  const patientRails = railsWithin(patientCallMs, patientCallMs)
  const patience = { repeatForMs, quietMs, answerWithinMs, answerCallMs: briefCallMs }
  const about = { db, clock, keyring: openKeyring(secretKeys), log, patience }
  return {
    brief: { ...about, rails: briefRails },
    patient: { ...about, rails: patientRails },
    patientRails,
    close() {
      briefRails.close()
      patientRails.close()
    },
  }
}
