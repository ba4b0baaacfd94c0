// The contract between workflows and activities: what each activity takes and answers, how long it may take, how it is retried.

import { proxyActivities, proxyLocalActivities } from '@temporalio/workflow'
import type { ChangedTransfersSteps } from './bank/changed-transfers-steps'
import type { RailSwitchSteps } from './bank/rail-switch-steps'
import type { AuditSteps } from './controls/audit-steps'
import type { ProofSteps } from './controls/proof-steps'
import type { RetentionSteps } from './controls/retention-steps'
import type { SweepSteps } from './controls/sweep-steps'
import type { InvoiceActivities } from './invoices/invoice'
import type { InvoiceMailActivities } from './invoices/mail'
import type { InvoiceRunActivities } from './invoices/run'
import type { NoticeSteps } from './partners/notice-steps'
import type { SignUpSteps } from './partners/sign-up-steps'
import type { VerificationSteps, VerificationsSteps } from './partners/verification-steps'
import type { PayoutCaseActivities } from './payouts/case'
import type { PayoutActivities } from './payouts/payout'
import type { PayoutReturnActivities } from './payouts/return'
import type { ConnectSandboxActivities } from './wallets/connect-sandbox'
import type { WalletReadingActivities } from './wallets/reading'
import type { WalletReadingsActivities } from './wallets/readings'
import type { TopUpActivities } from './wallets/top-up'

export interface Activities
  extends PayoutActivities,
    PayoutReturnActivities,
    PayoutCaseActivities,
    RailSwitchSteps,
    ConnectSandboxActivities,
    VerificationSteps,
    VerificationsSteps,
    WalletReadingActivities,
    WalletReadingsActivities,
    NoticeSteps,
    ProofSteps,
    AuditSteps,
    RetentionSteps,
    SweepSteps,
    ChangedTransfersSteps,
    InvoiceRunActivities,
    InvoiceActivities,
    InvoiceMailActivities,
    SignUpSteps,
    TopUpActivities {
  /** Removes up to `limit` entries of reads that are past their retention; answers how many. Safe to repeat. */
  pruneActivity(batch: { readonly limit: number }): Promise<number>
}

/**
 * A regular activity sends a sign of life as long as it runs (worker/temporal/heartbeat.ts), so the end of its worker is noticed after
 * this time, however long the activity itself may take. A local one is taken over with its workflow task (payouts/start.ts).
 */
const heartbeatTimeout = '5 seconds'

/** A batch takes milliseconds. A database that is away is asked again until it is back, at most every five minutes. */
export const { pruneActivity } = proxyActivities<Pick<Activities, 'pruneActivity'>>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
})

/** Nobody waits for it; the longest of them takes eight calls to the bank. */
export const { openLiveCustomer, checkLiveCustomer, connectLiveWallet } = proxyActivities<VerificationSteps>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '500 ms', backoffCoefficient: 2, maximumInterval: '1 minute' },
})

/** The next day does what this one could not. A page is over within half a minute at the worst. */
export const { startVerifications } = proxyActivities<VerificationsSteps>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes', maximumAttempts: 20 },
})

/** Somebody waits for it, so it begins again soon, and a database that is away is asked until the sign-up has expired. */
export const { openSignedUp } = proxyLocalActivities<SignUpSteps>({
  startToCloseTimeout: '20 seconds',
  localRetryThreshold: '1 second',
  retry: { initialInterval: '100 ms', backoffCoefficient: 2, maximumInterval: '10 seconds' },
})

/** A person waits for it: a database that is away is asked until it is back. */
export const { switchRail } = proxyActivities<Pick<Activities, 'switchRail'>>({
  startToCloseTimeout: '20 seconds',
  heartbeatTimeout,
  retry: { initialInterval: '200 ms', backoffCoefficient: 2, maximumInterval: '10 seconds' },
})

/** A page is over within half a minute at the worst; whom it does not reach looks by itself. */
export const { wakeUnsent } = proxyActivities<Pick<Activities, 'wakeUnsent'>>({
  startToCloseTimeout: '40 seconds',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 5 },
})

/** The next proof proves what this one could not. Wallets with long histories take many pages to read. */
export const { proveWallets, proveSilence, tellDrifts } = proxyActivities<ProofSteps>({
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 2 },
})

/** The next run seals, or erases, what this one could not. */
export const { sealAudit, eraseRecipients, eraseBankEvents } = proxyActivities<
  Pick<AuditSteps, 'sealAudit'> & RetentionSteps
>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 5 },
})

/** A chain of years takes its time. It is there again tomorrow. */
export const { verifyAudit } = proxyActivities<Pick<AuditSteps, 'verifyAudit'>>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout,
  retry: { initialInterval: '1 minute', backoffCoefficient: 2, maximumAttempts: 3 },
})

/** The next run does what this one could not. */
export const { checkLowBalances, sendNotices } = proxyActivities<NoticeSteps>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 3 },
})

/** The next sweep does what this one could not, so it gives up early. A page is over within half a minute at the worst. */
export const { sweepPayouts, sweepSandboxes, sweepStrays, reportOverdue } = proxyActivities<SweepSteps>({
  startToCloseTimeout: '40 seconds',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumAttempts: 3 },
})

/** A walk through three months of a busy bank takes hours. It is there again tomorrow, so it gives up before. */
export const { readChangedTransfers } = proxyActivities<ChangedTransfersSteps>({
  startToCloseTimeout: '10 hours',
  scheduleToCloseTimeout: '20 hours',
  heartbeatTimeout,
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 minutes', maximumAttempts: 20 },
})
