// Every endpoint, as one table.

import { listActivityRoute } from './controls/list-activity'
import { getDiscoveryRoute, getRootRoute } from './docs/discovery'
import type { Route } from './http/route'
import { exportInvoiceChargesRoute, listInvoiceChargesRoute } from './invoices/charges'
import { getInvoiceCsvRoute, getInvoicePdfRoute } from './invoices/files'
import { getInvoiceRoute, listInvoicesRoute } from './invoices/read'
import { getUsageHistoryRoute, getUsageRoute } from './invoices/usage'
import { getAccountRoute } from './partners/account'
import { getComplianceRoute } from './partners/compliance'
import { deleteInvitationRoute, inviteMemberConfirmCodeRoute, inviteMemberRoute } from './partners/invitations'
import { createKeyConfirmCodeRoute, createKeyRoute, revokeKeyRoute } from './partners/keys/changes'
import { listKeysRoute } from './partners/keys/list'
import { getPartnerLogoRoute } from './partners/logo'
import { changeMemberConfirmCodeRoute, changeMemberRoute, deleteMemberRoute, listTeamRoute } from './partners/members'
import { getPublicPartnerRoute } from './partners/public'
import { changeAccountConfirmCodeRoute, changeAccountRoute } from './partners/settings'
import { startVerificationRoute } from './partners/verification'
import { cancelPayoutRoute } from './payouts/cancel'
import { createCaseRoute, listCasesRoute } from './payouts/cases/routes'
import { checkPayoutRoute } from './payouts/check'
import { createConfirmCodeRoute } from './payouts/confirmation'
import { createPayoutRoute } from './payouts/create'
import { listPayoutEventsRoute } from './payouts/events'
import { exportPayoutsRoute, getPayoutTotalsRoute, listPayoutsRoute } from './payouts/list'
import { createQuoteRoute } from './payouts/quotes'
import { getPayoutDetailsRoute, getPayoutRoute } from './payouts/read'
import { listRecipientsRoute } from './payouts/recipients'
import { simulatePayoutRoute } from './payouts/simulate'
import { requestCodeRoute, signUpRoute } from './sign-in/codes'
import { createSessionRoute } from './sign-in/create-session'
import { deleteSessionRoute, deleteSessionsRoute, getSessionRoute, switchPartnerRoute } from './sign-in/session'
import { getBalanceRoute } from './wallets/balance'
import { exportWalletEntriesRoute, listWalletEntriesRoute } from './wallets/entries'
import { createSandboxTopUpRoute } from './wallets/top-ups'

/** In the order of the reference: within a section, what people need first. */
export const routes: readonly Route[] = [
  createPayoutRoute,
  listPayoutsRoute,
  getPayoutTotalsRoute,
  getPayoutRoute,
  cancelPayoutRoute,
  getPayoutDetailsRoute,
  listPayoutEventsRoute,
  createQuoteRoute,
  checkPayoutRoute,
  listRecipientsRoute,
  exportPayoutsRoute,
  createCaseRoute,
  listCasesRoute,
  getBalanceRoute,
  listWalletEntriesRoute,
  exportWalletEntriesRoute,
  createSandboxTopUpRoute,
  simulatePayoutRoute,
  getAccountRoute,
  changeAccountRoute,
  getComplianceRoute,
  startVerificationRoute,
  createKeyRoute,
  listKeysRoute,
  revokeKeyRoute,
  getUsageRoute,
  getUsageHistoryRoute,
  listInvoicesRoute,
  // These come before the invoice itself, whose `:id` would also match the file extension.
  getInvoicePdfRoute,
  getInvoiceCsvRoute,
  getInvoiceRoute,
  listInvoiceChargesRoute,
  exportInvoiceChargesRoute,
  listActivityRoute,
  inviteMemberRoute,
  listTeamRoute,
  changeMemberRoute,
  deleteMemberRoute,
  requestCodeRoute,
  createSessionRoute,
  getSessionRoute,
  switchPartnerRoute,
  deleteSessionRoute,
  deleteSessionsRoute,
  signUpRoute,
  deleteInvitationRoute,
  createConfirmCodeRoute,
  createKeyConfirmCodeRoute,
  inviteMemberConfirmCodeRoute,
  changeMemberConfirmCodeRoute,
  changeAccountConfirmCodeRoute,
  getDiscoveryRoute,
  getRootRoute,
  getPublicPartnerRoute,
  getPartnerLogoRoute,
]
