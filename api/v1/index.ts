// Every endpoint of §4, as one table.
import type { Route } from '../route'
import { getAccount } from './account'
import { listActivity } from './activity'
import { requestCode, signUp } from './auth/codes'
import { deleteInvitation } from './auth/invitations'
import { deleteSession, deleteSessions, getSession, switchPartner } from './auth/session'
import { createSession } from './auth/sign-in'
import { getBalance } from './balance'
import { cancelPayout } from './cancel-payout'
import { createCase, listCases } from './cases'
import { getCompliance } from './compliance'
import { createPayout } from './create-payout'
import { getDiscovery, getRoot } from './discovery'
import { exportInvoiceCharges, listInvoiceCharges } from './invoice-charges'
import { getInvoiceCsv, getInvoicePdf } from './invoice-files'
import { getInvoice, listInvoices } from './invoices'
import { createKey, createKeyConfirmCode, revokeKey } from './key-changes'
import { listKeys } from './keys'
import {
  changeMember,
  changeMemberConfirmCode,
  deleteMember,
  inviteMember,
  inviteMemberConfirmCode,
  listTeam,
} from './members'
import { getPartnerLogo } from './partner-logo'
import { checkPayout } from './payout-check'
import { createConfirmCode } from './payout-confirmation'
import { getPayoutDetails } from './payout-details'
import { listPayoutEvents } from './payout-events'
import { getPayout, listPayouts } from './payouts'
import { exportPayouts } from './payouts-csv'
import { getPublicPartner } from './public-partners'
import { createQuote } from './quotes'
import { listRecipients } from './recipients'
import { simulatePayout } from './sandbox-payouts'
import { createSandboxTopUp } from './sandbox-top-ups'
import { changeAccount, changeAccountConfirmCode } from './settings'
import { getUsage } from './usage'
import { getUsageHistory } from './usage-history'
import { startVerification } from './verification'
import { exportWalletEntries, listWalletEntries } from './wallet-entries'

export const routes: readonly Route[] = [
  getRoot,
  getDiscovery,
  getPublicPartner,
  getPartnerLogo,
  getAccount,
  getBalance,
  listWalletEntries,
  exportWalletEntries,
  createSandboxTopUp,
  simulatePayout,
  getCompliance,
  startVerification,
  listActivity,
  listRecipients,
  createQuote,
  listPayouts,
  createPayout,
  exportPayouts,
  checkPayout,
  createConfirmCode,
  getPayout,
  getPayoutDetails,
  listPayoutEvents,
  cancelPayout,
  listCases,
  createCase,
  getUsage,
  getUsageHistory,
  listInvoices,
  // Before the invoice itself, whose id would take the dot and what follows for its own.
  getInvoicePdf,
  getInvoiceCsv,
  getInvoice,
  listInvoiceCharges,
  exportInvoiceCharges,
  listKeys,
  createKey,
  createKeyConfirmCode,
  revokeKey,
  requestCode,
  signUp,
  createSession,
  getSession,
  switchPartner,
  deleteSession,
  deleteSessions,
  deleteInvitation,
  changeAccount,
  changeAccountConfirmCode,
  listTeam,
  inviteMember,
  inviteMemberConfirmCode,
  changeMember,
  changeMemberConfirmCode,
  deleteMember,
]
