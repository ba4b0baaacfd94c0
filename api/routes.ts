// Every endpoint of §4, as one table.

import { listActivity } from './controls/list-activity'
import { getDiscovery, getRoot } from './docs/discovery'
import type { Route } from './http/route'
import { exportInvoiceCharges, listInvoiceCharges } from './invoices/charges'
import { getInvoiceCsv, getInvoicePdf } from './invoices/files'
import { getInvoice, listInvoices } from './invoices/read'
import { getUsage } from './invoices/usage'
import { getUsageHistory } from './invoices/usage-history'
import { getAccount } from './partners/account'
import { getCompliance } from './partners/compliance'
import { deleteInvitation } from './partners/invitations'
import { createKey, createKeyConfirmCode, revokeKey } from './partners/keys/changes'
import { listKeys } from './partners/keys/list'
import { getPartnerLogo } from './partners/logo'
import {
  changeMember,
  changeMemberConfirmCode,
  deleteMember,
  inviteMember,
  inviteMemberConfirmCode,
  listTeam,
} from './partners/members'
import { getPublicPartner } from './partners/public'
import { changeAccount, changeAccountConfirmCode } from './partners/settings'
import { startVerification } from './partners/verification'
import { cancelPayout } from './payouts/cancel'
import { createCase, listCases } from './payouts/cases/routes'
import { checkPayout } from './payouts/check'
import { createConfirmCode } from './payouts/confirmation'
import { createPayout } from './payouts/create'
import { exportPayouts } from './payouts/csv'
import { getPayoutDetails } from './payouts/details'
import { listPayoutEvents } from './payouts/events'
import { createQuote } from './payouts/quotes'
import { getPayout, listPayouts } from './payouts/read'
import { listRecipients } from './payouts/recipients'
import { simulatePayout } from './payouts/simulate'
import { requestCode, signUp } from './sign-in/codes'
import { createSession } from './sign-in/create-session'
import { deleteSession, deleteSessions, getSession, switchPartner } from './sign-in/session'
import { getBalance } from './wallets/balance'
import { exportWalletEntries, listWalletEntries } from './wallets/entries'
import { createSandboxTopUp } from './wallets/top-ups'

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
