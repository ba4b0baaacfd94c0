// Every workflow, and the contract of every activity. The workflow bundle is built from this file.
//
// Each workflow file starts with its types, the contract of its activities, and their timeouts and retry
// policies. A regular activity heartbeats, so the server notices a lost worker after the heartbeat timeout,
// however long the activity may take. A local activity moves to another worker with its workflow task.
import type { ChangedTransfersActivities } from './bank/changed-transfers'
import type { RailSwitchActivities } from './bank/rail-switch'
import type { ProofActivities } from './controls/proof'
import type { PruneActivityActivities } from './controls/prune-activity'
import type { RetentionActivities } from './controls/retention'
import type { SealAuditActivities } from './controls/seal-audit'
import type { SweepActivities } from './controls/sweep'
import type { VerifyAuditActivities } from './controls/verify-audit'
import type { InvoiceActivities } from './invoices/invoice'
import type { InvoiceMailActivities } from './invoices/mail'
import type { InvoiceRunActivities } from './invoices/run'
import type { NoticesActivities } from './partners/notices'
import type { SignUpActivities } from './partners/sign-up'
import type { VerificationActivities } from './partners/verification'
import type { VerificationsActivities } from './partners/verifications'
import type { PayoutCaseActivities } from './payouts/case'
import type { PayoutActivities } from './payouts/payout'
import type { PayoutReturnActivities } from './payouts/return'
import type { ConnectSandboxActivities } from './wallets/connect-sandbox'
import type { WalletReadingActivities } from './wallets/reading'
import type { WalletReadingsActivities } from './wallets/readings'
import type { TopUpActivities } from './wallets/top-up'

export { changedTransfers } from './bank/changed-transfers'
export { railSwitch } from './bank/rail-switch'
export { proof } from './controls/proof'
export { pruneActivity } from './controls/prune-activity'
export { retention } from './controls/retention'
export { sealAudit } from './controls/seal-audit'
export { sweep } from './controls/sweep'
export { verifyAudit } from './controls/verify-audit'
export { invoice } from './invoices/invoice'
export { invoiceMail } from './invoices/mail'
export { invoiceRun } from './invoices/run'
export { notices } from './partners/notices'
export { signUp } from './partners/sign-up'
export { verification } from './partners/verification'
export { verifications } from './partners/verifications'
export { payoutCase } from './payouts/case'
export { payout } from './payouts/payout'
export { payoutReturn } from './payouts/return'
export { connectSandbox } from './wallets/connect-sandbox'
export { walletReading } from './wallets/reading'
export { walletReadings } from './wallets/readings'
export { topUp } from './wallets/top-up'

/** A worker implements all of them. */
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
