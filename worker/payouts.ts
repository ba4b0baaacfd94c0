// The dependencies of payout activities, in two variants: short timeouts for calls to the bank while a caller waits,
// long ones otherwise.

import type { ActivityDeps, PayoutDeps } from '../activities/bind'
import type { Db } from '../db/database'
import { openKeyring } from '../db/keyring'
import { createRails, type Rails, type RailsOptions } from '../rail/rails'
import { type Clock, systemClock } from '../runtime/clock'
import type { Config } from '../runtime/config/config'
import type { Log } from '../runtime/log'

interface PayoutParts {
  readonly brief: PayoutDeps
  readonly background: PayoutDeps
  readonly backgroundRails: Rails
  /** Closes the connections to the banks. */
  close(): void
}

/** The bank of each environment. Null if not configured. */
export function banksOf(bank: Config['bank'], rails: Rails): ActivityDeps['banks'] {
  return {
    sandbox: bank.sandbox === null ? null : rails.provider_sandbox,
    live: bank.live === null ? null : rails.provider_production,
  }
}

type PayoutPartsConfig = Pick<Config, 'bank' | 'payouts' | 'secretKeys'>

interface PayoutPartsDeps extends Pick<RailsOptions, 'around' | 'onCall'> {
  readonly db: Db
  readonly log: Log
  readonly clock?: Clock
}

export function createPayoutParts(
  { bank, payouts, secretKeys }: PayoutPartsConfig,
  { db, log, clock = systemClock, ...watched }: PayoutPartsDeps,
): PayoutParts {
  const { briefCallMs, briefConnectMs, backgroundCallMs, repeatForMs, listLagMs, answerWithinMs } = payouts
  const railsWithin = (callMs: number, connectMs: number) =>
    createRails({ bank, clock, timeouts: { callMs, connectMs: Math.min(connectMs, callMs) }, ...watched })
  const briefRails = railsWithin(briefCallMs, briefConnectMs)
  const backgroundRails = railsWithin(backgroundCallMs, backgroundCallMs)
  const limits = { repeatForMs, listLagMs, answerWithinMs, answerCallMs: briefCallMs }
  const about = { db, clock, keyring: openKeyring(secretKeys), log, limits }
  return {
    brief: { ...about, rails: briefRails },
    background: { ...about, rails: backgroundRails },
    backgroundRails,
    close() {
      briefRails.close()
      backgroundRails.close()
    },
  }
}
