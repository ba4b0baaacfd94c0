// What the steps of a sweep act upon, and what is too young or too old for them.
import type { Client } from '@temporalio/client'
import type { Db } from '../../../db/database'
import type { Environment } from '../../../domain/environment'
import type { Rail } from '../../../rail/rail'
import type { Clock } from '../../../runtime/clock'
import type { Log } from '../../../runtime/log'

export interface SweepDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly temporal: Client
  readonly queuePrefix: string
  readonly pollMs: readonly number[]
  /** Younger payouts have their own caller, who is about to start them. */
  readonly olderThanMs: number
  /** How old a payout that the bank has may get before people are told. */
  readonly settleWithinMs: number
  /** The same for one of which nobody knows whether the bank has it. */
  readonly knownWithinMs: number
  /** Whether there is a bank to connect sandboxes to. */
  readonly sandboxBank: 'configured' | 'absent'
  /** Null where no bank is configured. */
  readonly banks: Readonly<Record<Environment, Pick<Rail, 'changedSince'> | null>>
}

export function ago({ clock }: Pick<SweepDeps, 'clock'>, ms: number): Date {
  return new Date(clock.now().getTime() - ms)
}
