// The dependencies of activities, how activities are bound to them, and the idempotency keys of their
// calls to the bank.

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

/** Every dependency of every activity. An activity names the few that it uses. */
export interface ActivityDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  /** Opens recipient details and sign-ups, and seals queued mails. */
  readonly keyring: Keyring

  /** Calls to the banks. */
  readonly rails: Readonly<Record<RailName, Rail>>
  /** Lists changed transfers. Null if no bank is configured for the environment. */
  readonly banks: Readonly<Record<Environment, Pick<Rail, 'changedSince'> | null>>
  /** Makes test deposits. Null if no sandbox bank is configured: then every sandbox wallet is simulated. */
  readonly sandboxBank: Pick<SimulatedBank, 'deposit' | 'simulateDeposit'> | null
  /** Time limits of a payout's calls to the bank. */
  readonly limits: BankLimits

  /** Starts and signals workflows. */
  readonly temporal: Client
  /** Names the task queues of workflows that activities start. */
  readonly queuePrefix: string
  /** Poll intervals of started payouts and verifications. */
  readonly pollMs: readonly number[]
  readonly verificationPollMs: readonly number[]

  /** A sweep ignores younger payouts, because the API is about to start them. */
  readonly olderThanMs: number
  /** Age at which a sent payout needs attention. */
  readonly settleWithinMs: number
  /** Age at which a payout with an unknown outcome needs attention. */
  readonly knownWithinMs: number
  /** Time limits of the reconciliation. */
  readonly proof: ProofLimits

  /** The issuer of the invoices. Null if not configured: then nothing is billed. */
  readonly seller: Seller | null
  /** Sends invoices. Null if no mail server is configured: then invoices wait. */
  readonly mailer: Mailer | null
  /** Receives mails about drifts and audit faults. Null if not configured. */
  readonly opsEmail: string | null
  /** Base URL of links to the dashboard, in mails and in the bank's redirects. */
  readonly publicUrl: string

  /** How long recipient details and bank events are kept. */
  readonly retention: RetentionDays
  /** How long refused and repeated writes stay in the activity list, and how long reads do. */
  readonly activityRetentionDays: number
  readonly activityReadRetentionDays: number
}

/** Payout activities that a caller waits for get short timeouts for calls to the bank. The others get long ones. */
export type PayoutDeps = Pick<ActivityDeps, 'db' | 'clock' | 'keyring' | 'rails' | 'log' | 'limits'>

interface BankLimits {
  /** How long the identical call is repeated with the same bank key. It must be shorter than the time for which the bank remembers a key. */
  readonly repeatForMs: number
  /** How long the bank's list may lag behind a call. After that, a list without the transfer proves that there is none. */
  readonly listLagMs: number
  /** While a caller waits, no call to the bank starts after this time. */
  readonly answerWithinMs: number
  /** The timeout of each of these calls. */
  readonly answerCallMs: number
}

export interface ProofLimits {
  /** Age at which an unbooked deposit is a drift. Until then, an event of the bank or a wallet reading may still book it. */
  readonly graceMs: number
  /** How far the bank's balance may lag behind its movements. */
  readonly balanceLagMs: number
  /** Pause between two snapshots of a wallet. */
  readonly pauseMs: number
  /** Interval at which every row of a wallet's ledger is verified, not only the changes since the checkpoint. */
  readonly fullEveryMs: number
  /** A wallet that was not compared with the bank for this long is a drift. */
  readonly comparedWithinMs: number
  /** The same ages as for sweeps. */
  readonly settleWithinMs: number
  readonly knownWithinMs: number
}

type Activities<Deps> = Readonly<Record<string, (deps: Deps, input: never) => Promise<unknown>>>

type Bound<Unbound> = {
  readonly [Name in keyof Unbound]: Unbound[Name] extends (deps: never, ...input: infer Input) => infer Result
    ? (...input: Input) => Result
    : never
}

/** Binds the dependencies of each activity, so that callers pass only its input. */
export function bind<Deps, Unbound extends Activities<Deps>>(deps: Deps, activities: Unbound): Bound<Unbound>
export function bind(deps: unknown, activities: Record<string, (deps: unknown, input: unknown) => unknown>): object {
  return Object.fromEntries(
    Object.entries(activities).map(([name, activity]) => [name, (input: unknown) => activity(deps, input)]),
  )
}

/** An Idempotency-Key for the bank, derived from the purpose, so that a repeated call in any process has the same key. */
export function bankKeyFor(purpose: string): string {
  const hex = createHash('sha256').update(purpose).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}
