// The activities that workflows call, bound to what they act upon.

import { type Clock, systemClock } from '../clock'
import type { Db } from '../db/database'
import type { RetentionDays } from '../db/retention'
import type { Activities } from '../workflows/activities'
import { createAuditSteps } from './audit'
import { createPayoutCaseSteps } from './cases'
import { createConnectSandboxSteps } from './connect-sandbox'
import { createInvoiceSteps, type InvoiceDeps } from './invoices'
import { createNoticeSteps } from './notices'
import { createPayoutSteps, type PayoutStepDeps } from './payout'
import { createProofSteps, type ProofPatience } from './proof'
import { pruneActivity } from './prune-activity'
import { createRailSwitchSteps } from './rail'
import { createRetentionSteps } from './retention'
import { createSignUpSteps } from './sign-up'
import { startReturnSeldom } from './start-return'
import { createSweepSteps, type SweepDeps } from './sweep'
import { createTopUpSteps, type TopUpDeps } from './top-up-sandbox'
import { createVerificationSteps } from './verification'
import type { VerificationDeps } from './verification/deps'
import { createVerificationsSteps } from './verification/look'
import { createWalletReadingSteps, type WalletReadingDeps } from './wallet-reading'

export interface ActivityDeps {
  readonly db: Db
  readonly clock: Clock
  readonly activityRetentionDays: number
  readonly activityReadRetentionDays: number
  readonly payouts: PayoutStepDeps
  readonly sweep: SweepDeps
  readonly invoices: InvoiceDeps
  readonly topUps: TopUpDeps
  /** Where the dashboard is, which the bank's pages lead back to. */
  readonly publicUrl: string
  readonly verificationPollMs: readonly number[]
  readonly proof: ProofPatience
  /** Who is mailed about drifts and faults of the audit chain; null where nobody is. */
  readonly opsEmail: string | null
  readonly retention: RetentionDays
}

export function createActivities(deps: ActivityDeps): Activities {
  return {
    pruneActivity: (batch) => pruneActivity(deps, batch),
    ...createPayoutSteps(deps.payouts),
    ...createConnectSandboxSteps(deps.payouts.patient),
    ...createSignUpSteps(deps.payouts.patient),
    ...createSweepSteps(deps.sweep),
    ...createRailSwitchSteps(deps.sweep),
    ...createInvoiceSteps(deps.invoices),
    ...createTopUpSteps(deps.topUps),
    ...createVerificationSteps(verificationDeps(deps)),
    ...createVerificationsSteps({
      ...deps.sweep,
      pollMs: deps.verificationPollMs,
      liveBank: deps.sweep.banks.live === null ? 'absent' : 'configured',
    }),
    ...createPayoutCaseSteps(deps.payouts.patient),
    ...createWalletReadingSteps(walletReadingDeps(deps)),
    ...createProofSteps({ ...deps.payouts.patient, patience: deps.proof, opsEmail: deps.opsEmail }),
    ...createAuditSteps({ ...deps.payouts.patient, opsEmail: deps.opsEmail }),
    ...createRetentionSteps(deps),
    ...createNoticeSteps({ ...deps.payouts.patient, publicUrl: deps.publicUrl }),
  }
}

function verificationDeps({ payouts: { patient }, publicUrl }: ActivityDeps): VerificationDeps {
  const { db, clock, log, rails } = patient
  const redirectUrl = `${publicUrl}/dashboard/verification`
  return { db, clock, log, rail: rails.provider_production, redirectUrl, madeBy: 'bank' }
}

function walletReadingDeps({ payouts: { patient }, sweep }: ActivityDeps): WalletReadingDeps {
  const { db, clock, log, rails } = patient
  return {
    db,
    clock,
    log,
    rails,
    quietMs: patient.patience.quietMs,
    async startReturn(payout, refundedAt) {
      const deadline = systemClock.now().getTime() + startWithinMs
      await sweep.temporal.withDeadline(deadline, () => startReturnSeldom(sweep, payout, refundedAt))
    },
  }
}

const startWithinMs = 5_000
