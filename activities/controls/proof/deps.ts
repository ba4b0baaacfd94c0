// What the proof acts upon, and how patient it is before it calls a difference one.

import type { Db } from '../../../db/database'
import type { Keyring } from '../../../db/keyring'
import type { RailName } from '../../../domain/environment'
import type { Rail } from '../../../rail/rail'
import type { Clock } from '../../../runtime/clock'
import type { Log } from '../../../runtime/log'

export type ProofRail = Pick<Rail, 'rate' | 'wallet' | 'walletHistory' | 'transfersSince' | 'payoutOf'>

export interface ProofPatience {
  /** How old a deposit may be that is not booked: the bank's events and the readings of wallets need their time. */
  readonly graceMs: number
  /** How far the balance that the bank tells may be behind its own movements. */
  readonly quietMs: number
  /** Between two looks. */
  readonly pauseMs: number
  /** How often every row of a wallet's own books is verified, not only what changed since the checkpoint. */
  readonly fullEveryMs: number
  /** How long a wallet may go without having been compared, before that itself is told. */
  readonly comparedWithinMs: number
  /** How long a payout that the bank has may be silent, and one of which nobody knows whether it has it. */
  readonly settleWithinMs: number
  readonly knownWithinMs: number
}

export interface ProofDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  readonly rails: Readonly<Record<RailName, ProofRail>>
  readonly patience: ProofPatience
}

export interface TellDeps {
  readonly db: Db
  readonly clock: Clock
  readonly keyring: Keyring
  /** Null where nobody is to be mailed: drifts wait to be told until somebody is. */
  readonly opsEmail: string | null
}

/** A wallet with its names at the bank. */
export interface BankedWallet {
  readonly id: string
  readonly partnerId: string
  readonly rail: RailName
  readonly customerRef: string
  readonly walletRef: string
}

/** `changes`: what changed since the checkpoint, and every row once in `fullEveryMs`. `full`: every row now. */
export type ProofDepth = 'changes' | 'full'

export interface ProofScope {
  readonly depth?: ProofDepth
  /** Skipped by the schedule, included when an operator asks for a proof. */
  readonly idleSandboxes?: 'skipped' | 'included'
}
