// Every endpoint, as one table.

import { exportActivityRoute, listActivityRoute } from './controls/list-activity'
import { getDiscoveryRoute, getRootRoute } from './docs/discovery'
import type { ListedRoute, Route, tags } from './http/route'
import { exportInvoiceChargesRoute, listInvoiceChargesRoute } from './invoices/charges'
import { getInvoiceCsvRoute, getInvoicePdfRoute } from './invoices/files'
import { getOverviewRoute } from './invoices/overview'
import { getInvoiceRoute, listInvoicesRoute } from './invoices/read'
import { getUsageHistoryRoute, getUsageRoute } from './invoices/usage'
import { getAccountRoute } from './partners/account'
import { getComplianceRoute } from './partners/compliance'
import {
  deleteInvitationRoute,
  getInvitationRoute,
  inviteMemberConfirmCodeRoute,
  inviteMemberRoute,
  resendInvitationRoute,
} from './partners/invitations'
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
import { createNoteRoute, listNotesRoute } from './payouts/notes'
import { createQuoteRoute } from './payouts/quotes'
import { getPayoutDetailsRoute, getPayoutRoute } from './payouts/read'
import { listRecipientsRoute } from './payouts/recipients'
import { simulatePayoutRoute } from './payouts/simulate'
import { requestCodeRoute, signUpRoute } from './sign-in/codes'
import { createSessionRoute } from './sign-in/create-session'
import { deleteSessionRoute, deleteSessionsRoute, getSessionRoute, switchPartnerRoute } from './sign-in/session'
import { endOtherSessionsRoute, endSessionRoute, listSessionsRoute } from './sign-in/sessions'
import { getBalanceRoute } from './wallets/balance'
import { exportWalletEntriesRoute, getWalletBalancesRoute, listWalletEntriesRoute } from './wallets/entries'
import { createSandboxTopUpRoute, createSimulatedTopUpRoute } from './wallets/top-ups'

/** The sections of the reference. Within a section, the most common operations come first. */
const sections: Readonly<Record<keyof typeof tags, readonly Route[]>> = {
  Payouts: [
    createPayoutRoute,
    listPayoutsRoute,
    getPayoutTotalsRoute,
    getPayoutRoute,
    cancelPayoutRoute,
    getPayoutDetailsRoute,
    listPayoutEventsRoute,
    createNoteRoute,
    listNotesRoute,
    createQuoteRoute,
    checkPayoutRoute,
    listRecipientsRoute,
    exportPayoutsRoute,
  ],
  'Recalls and traces': [createCaseRoute, listCasesRoute],
  Wallet: [getBalanceRoute, listWalletEntriesRoute, getWalletBalancesRoute, exportWalletEntriesRoute],
  Sandbox: [createSandboxTopUpRoute, simulatePayoutRoute, createSimulatedTopUpRoute],
  Account: [getAccountRoute, changeAccountRoute, getComplianceRoute, startVerificationRoute],
  'API keys': [createKeyRoute, listKeysRoute, revokeKeyRoute],
  Billing: [
    getUsageRoute,
    getUsageHistoryRoute,
    listInvoicesRoute,
    // These come before the route for the invoice itself, whose `:id` would also match the file extension.
    getInvoicePdfRoute,
    getInvoiceCsvRoute,
    getInvoiceRoute,
    listInvoiceChargesRoute,
    exportInvoiceChargesRoute,
  ],
  'Audit log': [listActivityRoute, exportActivityRoute],
  'Home page': [getOverviewRoute],
  Team: [inviteMemberRoute, listTeamRoute, changeMemberRoute, deleteMemberRoute, resendInvitationRoute],
  'Sign-in': [
    requestCodeRoute,
    createSessionRoute,
    getSessionRoute,
    switchPartnerRoute,
    deleteSessionRoute,
    deleteSessionsRoute,
    listSessionsRoute,
    // This comes before the route for one session, whose `:id` would also match `others`.
    endOtherSessionsRoute,
    endSessionRoute,
    signUpRoute,
    deleteInvitationRoute,
  ],
  'Confirm codes': [
    createConfirmCodeRoute,
    createKeyConfirmCodeRoute,
    inviteMemberConfirmCodeRoute,
    changeMemberConfirmCodeRoute,
    changeAccountConfirmCodeRoute,
  ],
  'Public pages': [getDiscoveryRoute, getRootRoute, getPublicPartnerRoute, getPartnerLogoRoute, getInvitationRoute],
}

export const routes: readonly ListedRoute[] = Object.entries(sections).flatMap(([tag, listed]) =>
  listed.map((route) => ({ ...route, tag })),
)
