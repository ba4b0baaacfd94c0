// The entities for all tables. A test compares them with the migrated database.
import { bankEvent } from './bank/events'
import { exchangeRate, rateAcceptance } from './bank/exchange-rates'
import { railPause } from './bank/rail-pauses'
import { bankReading, undecidedMovement, walletReadingFailure } from './bank/readings'
import { bankWebhook } from './bank/webhooks'
import { activity } from './controls/activity'
import { archive } from './controls/archives'
import { auditProgress } from './controls/audit/progress'
import { auditLink } from './controls/audit/seal'
import { auditVerification } from './controls/audit/verifications'
import { proofChange, proofCheckpoint } from './controls/proof/checkpoints'
import { drift, driftDecision } from './controls/proof/drifts'
import { proof } from './controls/proof/wallets'
import { rateLimit } from './controls/rate-limits'
import { sweepPosition } from './controls/sweep-positions'
import { worker } from './controls/workers'
import { charge, uninvoicedCharge } from './invoices/charges'
import { invoice, invoiceCharge, invoiceLine, invoiceNumber } from './invoices/invoices'
import { priceList } from './invoices/price-lists'
import { payoutMonth } from './invoices/usage'
import { apiKey } from './partners/api-keys'
import { partnerLogo } from './partners/logos'
import { mails } from './partners/mails'
import { member } from './partners/members'
import { notice } from './partners/notices'
import { partner } from './partners/partners'
import { caseNote, payoutCase } from './payouts/cases/cases'
import { payoutNote } from './payouts/cases/notes'
import { failedBankCall, payoutEvent } from './payouts/events'
import { payout } from './payouts/payout'
import { bankRecipient } from './payouts/recipients/at-bank'
import { recipientMonth, recipientTotal } from './payouts/recipients/list'
import { sealedRecipient } from './payouts/recipients/sealed'
import { codes } from './sign-in/codes'
import { session } from './sign-in/sessions'
import { heldDeposit } from './wallets/held-deposits'
import { ledgerAccount, ledgerEntry, ledgerSet } from './wallets/ledger-entity'
import { wallet } from './wallets/wallets'

export const entities = [
  partner,
  partnerLogo,
  priceList,
  member,
  apiKey,
  wallet,
  ledgerAccount,
  ledgerSet,
  ledgerEntry,
  payout,
  payoutEvent,
  failedBankCall,
  payoutMonth,
  recipientMonth,
  recipientTotal,
  sealedRecipient,
  bankEvent,
  bankRecipient,
  bankWebhook,
  charge,
  uninvoicedCharge,
  invoice,
  invoiceLine,
  invoiceCharge,
  invoiceNumber,
  activity,
  archive,
  rateLimit,
  session,
  codes,
  mails,
  bankReading,
  undecidedMovement,
  walletReadingFailure,
  sweepPosition,
  heldDeposit,
  payoutCase,
  caseNote,
  payoutNote,
  notice,
  railPause,
  drift,
  driftDecision,
  proof,
  proofCheckpoint,
  proofChange,
  auditLink,
  auditProgress,
  auditVerification,
  worker,
  exchangeRate,
  rateAcceptance,
]
