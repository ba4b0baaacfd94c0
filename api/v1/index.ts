// Every endpoint of §4, as one table.
import type { Route } from '../route'
import { getAccount } from './account'
import { listActivity } from './activity'
import { getBalance } from './balance'
import { getCompliance } from './compliance'
import { createPayout } from './create-payout'
import { getDiscovery, getRoot } from './discovery'
import { getInvoiceCsv, getInvoicePdf } from './invoice-files'
import { getInvoice, listInvoices } from './invoices'
import { listKeys } from './keys'
import { checkPayout } from './payout-check'
import { listPayoutEvents } from './payout-events'
import { getPayout, listPayouts } from './payouts'
import { exportPayouts } from './payouts-csv'
import { getPublicPartner } from './public-partners'
import { createQuote } from './quotes'
import { listRecipients } from './recipients'
import { getUsage } from './usage'
import { getUsageHistory } from './usage-history'
import { exportWalletEntries, listWalletEntries } from './wallet-entries'

export const routes: readonly Route[] = [
  getRoot,
  getDiscovery,
  getPublicPartner,
  getAccount,
  getBalance,
  listWalletEntries,
  exportWalletEntries,
  getCompliance,
  listActivity,
  listRecipients,
  createQuote,
  listPayouts,
  createPayout,
  exportPayouts,
  checkPayout,
  getPayout,
  listPayoutEvents,
  getUsage,
  getUsageHistory,
  listInvoices,
  // Before the invoice itself, whose id would take the dot and what follows for its own.
  getInvoicePdf,
  getInvoiceCsv,
  getInvoice,
  listKeys,
]
