// The activities that workflows call, bound to what they act upon.

import type { RetentionDays } from '../db/controls/retention'
import type { Db } from '../db/database'
import { type Clock, systemClock } from '../runtime/clock'
import type { Activities } from '../workflows/activities'
import { createRailSwitchSteps } from './bank/rail-switch'
import { createAuditSteps } from './controls/audit'
import { createProofSteps, type ProofPatience } from './controls/proof'
import { pruneActivity } from './controls/prune-activity'
import { createRetentionSteps } from './controls/retention'
import { createSweepSteps, type SweepDeps } from './controls/sweep'
import { createInvoiceSteps, type InvoiceDeps } from './invoices'
import { createNoticeSteps } from './partners/notices'
import { createSignUpSteps } from './partners/sign-up'
import { createVerificationSteps } from './partners/verification'
import type { VerificationDeps } from './partners/verification/deps'
import { createVerificationsSteps } from './partners/verification/look'
import { createPayoutSteps, type PayoutStepDeps } from './payouts'
import { createPayoutCaseSteps } from './payouts/cases'
import { startReturnSeldom } from './payouts/start-return'
import { createConnectSandboxSteps } from './wallets/connect-sandbox'
import { createWalletReadingSteps, type WalletReadingDeps } from './wallets/readings'
import { createTopUpSteps, type TopUpDeps } from './wallets/top-up'

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
