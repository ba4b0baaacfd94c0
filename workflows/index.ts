// Every workflow, and the contract of every activity. The workflow bundle is built from this file.
//
// Each workflow file starts with its types, the contract of its activities, and their timeouts and retry
// policies. A regular activity heartbeats, so the server detects a lost worker after the heartbeat timeout,
// even if the activity may run for hours. A local activity moves to another worker with its workflow task.
import type { ChangedTransfersActivities } from './bank/changed-transfers'
import type { RailSwitchActivities } from './bank/rail-switch'
import type { SealAuditActivities, VerifyAuditActivities } from './controls/audit'
import type { ProofActivities } from './controls/proof'
import type { PruneActivityActivities, RetentionActivities } from './controls/retention'
import type { SweepActivities } from './controls/sweep'
import type { InvoiceActivities } from './invoices/invoice'
import type { InvoiceMailActivities } from './invoices/mail'
import type { InvoiceRunActivities } from './invoices/run'
import type { NoticesActivities } from './partners/notices'
import type { SignUpActivities } from './partners/sign-up'
import type { VerificationActivities, VerificationsActivities } from './partners/verification'
import type { PayoutCaseActivities } from './payouts/case'
import type { PayoutActivities } from './payouts/payout'
import type { PayoutReturnActivities } from './payouts/return'
import type { ConnectSandboxActivities } from './wallets/connect-sandbox'
import type { WalletReadingActivities, WalletReadingsActivities } from './wallets/readings'
import type { TopUpActivities } from './wallets/top-up'

export { changedTransfers } from './bank/changed-transfers'
export { railSwitch } from './bank/rail-switch'
export { sealAudit, verifyAudit } from './controls/audit'
export { proof } from './controls/proof'
export { pruneActivity, retention } from './controls/retention'
export { sweep } from './controls/sweep'
export { invoice } from './invoices/invoice'
export { invoiceMail } from './invoices/mail'
export { invoiceRun } from './invoices/run'
export { notices } from './partners/notices'
export { signUp } from './partners/sign-up'
export { verification, verifications } from './partners/verification'
export { payoutCase } from './payouts/case'
export { payout } from './payouts/payout'
export { payoutReturn } from './payouts/return'
export { connectSandbox } from './wallets/connect-sandbox'
export { walletReading, walletReadings } from './wallets/readings'
export { topUp } from './wallets/top-up'

/** All activities. Every worker implements them. */
export interface Activities
  extends ChangedTransfersActivities,
    RailSwitchActivities,
    ProofActivities,
    PruneActivityActivities,
    RetentionActivities,
    SealAuditActivities,
    SweepActivities,
    VerifyAuditActivities,
    InvoiceActivities,
    InvoiceMailActivities,
    InvoiceRunActivities,
    NoticesActivities,
    SignUpActivities,
    VerificationActivities,
    VerificationsActivities,
    PayoutCaseActivities,
    PayoutActivities,
    PayoutReturnActivities,
    ConnectSandboxActivities,
    WalletReadingActivities,
    WalletReadingsActivities,
    TopUpActivities {}
