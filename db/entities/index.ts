// Every table as TypeORM knows it; a test compares them with what the migrations made.
import { activity } from './activity'
import { apiKey } from './api-key'
import { auditLink, auditProgress, auditVerification } from './audit'
import { bankEvent } from './bank-event'
import { bankReading, sweepPosition, undecidedMovement, walletReadingFailure } from './bank-reading'
import { bankRecipient } from './bank-recipient'
import { bankWebhook } from './bank-webhook'
import { caseNote, payoutCase } from './case'
import { charge, uninvoicedCharge } from './charge'
import { drift, driftDecision, proof, proofChange, proofCheckpoint } from './drift'
import { exchangeRate, rateAcceptance } from './exchange-rate'
import { heldDeposit } from './held-deposit'
import { invoice, invoiceCharge, invoiceLine, invoiceNumber } from './invoice'
import { ledgerAccount, ledgerEntry, ledgerSet } from './ledger'
import { member } from './member'
import { notice } from './notice'
import { partner } from './partner'
import { partnerLogo } from './partner-logo'
import { payout } from './payout'
import { payoutEvent } from './payout-event'
import { payoutMonth, recipientMonth, recipientTotal } from './payout-totals'
import { priceList } from './price-list'
import { railPause } from './rail-pause'
import { rateLimit } from './rate-limit'
import { sealedRecipient } from './sealed-recipient'
import { code, mail, session } from './session'
import { wallet } from './wallet'
import { worker } from './worker'

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
  rateLimit,
  session,
  code,
  mail,
  bankReading,
  undecidedMovement,
  walletReadingFailure,
  sweepPosition,
  heldDeposit,
  payoutCase,
  caseNote,
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
