// Defines the activities' dependencies, binds activities to them, and derives idempotency keys for bank calls.

import { createHash } from 'node:crypto'
import type { Client } from '@temporalio/client'
import type { RetentionDays } from '../db/controls/retention'
import type { Db } from '../db/database'
import type { Keyring } from '../db/keyring'
import type { Environment, RailName } from '../domain/environment'
import type { Seller } from '../domain/invoices/document'
import type { Mailer } from '../mail/mailer'
import type { Rail } from '../rail/rail'
import type { SimulatedBank } from '../rail/simulated-bank'
import type { Clock } from '../runtime/clock'
import type { Log } from '../runtime/log'

/** Every dependency of every activity. Each activity picks the few that it uses. */
export interface ActivityDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  /** Decrypts recipient details and sign-ups, and encrypts queued emails. */
  readonly keyring: Keyring

  readonly rails: Readonly<Record<RailName, Rail>>
  /** Lists changed transfers. Null if no bank is configured for the environment. */
  readonly banks: Readonly<Record<Environment, Pick<Rail, 'changedSince'> | null>>
  /** Makes test deposits. Null if no sandbox bank is configured: then our service simulates every sandbox wallet. */
  readonly sandboxBank: Pick<SimulatedBank, 'deposit' | 'simulateDeposit'> | null
  /** Time limits for a payout's calls to the bank. */
  readonly limits: BankLimits

  /** Starts and signals workflows. */
  readonly temporal: Client
  /** Prefix of the task queues on which activities start workflows. */
  readonly queuePrefix: string
  /** Poll intervals for the payouts and verifications that activities start. */
  readonly pollMs: readonly number[]
  readonly verificationPollMs: readonly number[]

  /** Sweeps ignore payouts younger than this, because the API may still be starting their workflows. */
  readonly olderThanMs: number
  /** Age at which a sent payout needs attention. */
  readonly settleWithinMs: number
  /** Age at which a payout with an unknown outcome needs attention. */
  readonly knownWithinMs: number
  /** Time limits for reconciliation. */
  readonly proof: ProofLimits

  /** The issuer of the invoices. Null if not configured: then nothing is billed. */
  readonly seller: Seller | null
  /** Sends invoices. Null if no mail server is configured: then invoices wait. */
  readonly mailer: Mailer | null
  /** Receives emails about drifts and audit faults. Null if not configured. */
  readonly opsEmail: string | null
  /** Base URL for links to the dashboard, in emails and in the bank's redirects. */
  readonly publicUrl: string

  /** How long recipient details and bank events are kept. */
  readonly retention: RetentionDays
  /** How long the activity list keeps refused and repeated writes, and how long it keeps reads. */
  readonly activityRetentionDays: number
  readonly activityReadRetentionDays: number
}

/** Payout activities that a caller waits for use short timeouts for calls to the bank. The others use long ones. */
export type PayoutDeps = Pick<ActivityDeps, 'db' | 'clock' | 'keyring' | 'rails' | 'log' | 'limits'>

interface BankLimits {
  /**
   * How long a call is repeated with the same bank key. Must be shorter than the time for which the bank remembers a
   * key.
   */
  readonly repeatForMs: number
  /**
   * How long the bank's list may lag behind a call. A list that still lacks the transfer after this time proves that
   * the transfer does not exist.
   */
  readonly listLagMs: number
  /** While a caller waits, an activity starts no call to the bank after this time. */
  readonly answerWithinMs: number
  /** The timeout of each bank call while a caller waits. */
  readonly answerCallMs: number
}

export interface ProofLimits {
  /**
   * Age at which an unbooked deposit is a drift. Until then, an event from the bank or a wallet read may still book it.
   */
  readonly graceMs: number
  /** How far the bank's balance may lag behind its movements. */
  readonly balanceLagMs: number
  /** Pause between two snapshots of a wallet. */
  readonly pauseMs: number
  /** Interval at which every row of a wallet's ledger is verified, not only the changes since the checkpoint. */
  readonly fullEveryMs: number
  /** A wallet that has not been compared with the bank for this long counts as a drift. */
  readonly comparedWithinMs: number
  /** The ages at which a payout needs attention, as in the sweeps. */
  readonly settleWithinMs: number
  readonly knownWithinMs: number
}

type Activities<Deps> = Readonly<Record<string, (deps: Deps, input: never) => Promise<unknown>>>

type Bound<Unbound> = {
  readonly [Name in keyof Unbound]: Unbound[Name] extends (deps: never, ...input: infer Input) => infer Result
    ? (...input: Input) => Result
    : never
}

/** Binds each activity to its dependencies, so that callers pass only the input. */
export function bind<Deps, Unbound extends Activities<Deps>>(deps: Deps, activities: Unbound): Bound<Unbound>
export function bind(deps: unknown, activities: Record<string, (deps: unknown, input: unknown) => unknown>): object {
  return Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [name, (input: unknown) => activity(deps, input)]),
  )
}

/**
 * Derives an Idempotency-Key for the bank from the purpose of the call, so that every process repeats the call with
 * the same key.
 */
export function bankKeyFor(purpose: string): string {
  const hex = createHash('sha256').update(purpose).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}
