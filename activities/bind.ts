// The dependencies of activities, how activities are bound to them, and the keys of their calls to the bank.

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
  /** Lists changed transfers. Null where no bank is configured for the environment. */
  readonly banks: Readonly<Record<Environment, Pick<Rail, 'changedSince'> | null>>
  /** Makes test deposits. Null where no sandbox bank is configured: then every sandbox wallet is simulated. */
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

  /** Issues the invoices. Null where none is configured: then nothing is billed. */
  readonly seller: Seller | null
  /** Sends invoices. Null where no mail server is configured: then they wait. */
  readonly mailer: Mailer | null
  /** Receives mails about drifts and audit faults. Null if not configured. */
  readonly opsEmail: string | null
  /** Base of links to the dashboard, in mails and for the bank's redirects. */
  readonly publicUrl: string

  /** How long recipient details and bank events are kept. */
  readonly retention: RetentionDays
  /** How long activity entries of changes are kept, and those of reads. */
  readonly activityRetentionDays: number
  readonly activityReadRetentionDays: number
}

/** The activities of a payout are bound twice: with brief calls to the bank while a caller waits, and with long ones otherwise. */
export type PayoutDeps = Pick<ActivityDeps, 'db' | 'clock' | 'keyring' | 'rails' | 'log' | 'limits'>

interface BankLimits {
  /** How long the identical call is repeated under one bank key: less than the bank remembers the key. */
  readonly repeatForMs: number
  /** How long after the first call a listing without the transfer proves that there is none. */
  readonly listLagMs: number
  /** While a caller waits, no call to the bank starts after this time. */
  readonly answerWithinMs: number
  /** The timeout of each of these calls, which also bounds the last one. */
  readonly answerCallMs: number
}

export interface ProofLimits {
  /** Age at which an unbooked deposit is a drift: the bank's events and the wallet readings need time. */
  readonly graceMs: number
  /** How far the bank's balance may be behind its own movements. */
  readonly balanceLagMs: number
  /** Between two snapshots of a wallet. */
  readonly pauseMs: number
  /** How often every row of a wallet's books is verified, not only the changes since the checkpoint. */
  readonly fullEveryMs: number
  /** How long a wallet may go without a comparison before that is a drift. */
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

/** Gives each activity its dependencies, so that only its input is left. */
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
