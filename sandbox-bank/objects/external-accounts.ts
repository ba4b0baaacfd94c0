// UK bank accounts that receive transfers. They are strictly validated and unique per customer. A bounced payment
// closes an account.
import { randomUUID } from 'node:crypto'
import { type Call, get, isoTime, type Moment, type Outcome, post, type Route, remove } from '../http/call'
import { invalid, notFound, Refusal, refusal } from '../http/errors'
import { optionalChoice, optionalText, requiredChoice, requiredText, valueAt } from '../http/fields'
import { listPage } from '../http/lists'
import type { ExternalAccount, Put } from '../storage/records'
import { recordEvent } from '../webhooks/events'
import { customerOf } from './customers'

export const externalAccountRoutes: readonly Route[] = [
  post('/customers/:customer/external_accounts', createAccount),
  get('/customers/:customer/external_accounts', listAccounts),
  get('/customers/:customer/external_accounts/:account', (call) => presentAccount(call, accountOf(call))),
  remove('/customers/:customer/external_accounts/:account', (call) => close(call, 'deleted_by_developer')),
  post('/customers/:customer/external_accounts/:account/deactivate', (call) => close(call, 'requested_by_developer')),
  post('/customers/:customer/external_accounts/:account/reactivate', reactivate),
  { ...post('/customers/:customer/external_accounts/:account/verify', verify), key: 'none' },
]

/** Returns the change and its event. */
export function changeAccount(moment: Moment, before: ExternalAccount, change: Partial<ExternalAccount>): Put[] {
  const after: ExternalAccount = { ...before, ...change, updatedAt: moment.now }
  const active: [boolean, boolean] = [before.deactivationReason === null, after.deactivationReason === null]
  const events = recordEvent(moment, {
    // The real bank spells "account" with three c's.
    category: 'external_acccount',
    type: 'external_acccount.updated',
    objectId: after.id,
    status: active[1] ? 'active' : 'inactive',
    object: presentAccount(moment, after),
    changes: { active },
    about: { external_account_id: after.id, customer_id: after.customerId },
  })
  return [['externalAccounts', after], ...events]
}

export function presentAccount(moment: Moment, account: ExternalAccount): Record<string, unknown> {
  return {
    id: account.id,
    customer_id: account.customerId,
    active: account.deactivationReason === null,
    ...(account.deactivationReason === null ? {} : { deactivation_reason: account.deactivationReason }),
    currency: 'gbp',
    account_type: 'gb',
    account_owner_name: account.ownerName,
    account_owner_type: account.ownerType,
    first_name: account.firstName,
    last_name: account.lastName,
    business_name: account.businessName,
    bank_name: account.bankName,
    account: { sort_code: account.sortCode, last_4: account.accountNumber.slice(-4) },
    ...presentVerification(moment, account),
    created_at: isoTime(account.createdAt),
    updated_at: isoTime(account.updatedAt),
  }
}

function createAccount(call: Call): Outcome {
  const customer = customerOf(call)
  const account = readAccount(call, customer.id)
  const known = call.books.externalAccounts.of(customer.id).find(({ sortCode, accountNumber, deactivationReason }) => {
    const same = sortCode === account.sortCode && accountNumber === account.accountNumber
    return same && deactivationReason !== 'deleted_by_developer'
  })
  if (known) {
    const message = 'An external account with these details exists already.'
    throw new Refusal(400, { code: 'duplicate_external_account', message, id: known.id })
  }
  const body = presentAccount(call, account)
  return { status: 201, body, what: 'external_account.created', puts: [['externalAccounts', account]] }
}

/** The payment scheme transmits 35 characters of the name. The address is validated, but not used. */
function readAccount({ body, now }: Call, customerId: string): ExternalAccount {
  requiredChoice(body, 'currency', ['gbp'])
  requiredChoice(body, 'account_type', ['gb'])
  const name = { max: 35, pattern: /\S/, says: 'must not be blank' }
  const ownerType = optionalChoice(body, 'account_owner_type', ['individual', 'business']) ?? 'individual'
  const account: ExternalAccount = {
    id: randomUUID(),
    customerId,
    ownerName: requiredText(body, 'account_owner_name', name),
    ownerType,
    firstName: optionalText(body, 'first_name', name),
    lastName: optionalText(body, 'last_name', name),
    businessName: ownerType === 'business' ? requiredText(body, 'business_name', name) : null,
    bankName: optionalText(body, 'bank_name', { max: 256 }),
    sortCode: requiredText(body, 'account.sort_code', { pattern: /^\d{6}$/, says: 'must be 6 digits' }),
    accountNumber: requiredText(body, 'account.account_number', { pattern: /^\d{8}$/, says: 'must be 8 digits' }),
    deactivationReason: null,
    verification: null,
    createdAt: now,
    updatedAt: now,
  }
  checkAddress(body)
  return account
}

function checkAddress(body: unknown): void {
  const address = valueAt(body, 'address')
  if (address === undefined || address === null) return
  if (typeof address !== 'object') throw invalid('address', 'address must be an object.')
  requiredText(body, 'address.street_line_1', { min: 4, max: 35 })
  optionalText(body, 'address.street_line_2', { max: 35 })
  requiredText(body, 'address.city', { max: 100 })
  optionalText(body, 'address.state', { min: 1, max: 3 })
  optionalText(body, 'address.postal_code', { min: 1, max: 16 })
  requiredText(body, 'address.country', { pattern: /^[A-Z]{3}$/, says: 'must be an ISO 3166-1 alpha-3 code' })
}

function listAccounts(call: Call) {
  const rows = call.books.externalAccounts.of(customerOf(call).id)
  return listPage(call, rows, (row) => presentAccount(call, row))
}

function close(call: Call, reason: string): Outcome {
  const account = accountOf(call)
  if (account.deactivationReason !== null) return answer(call, account)
  return changed(call, account, { deactivationReason: reason }, 'external_account.deactivated')
}

function reactivate(call: Call): Outcome {
  const account = accountOf(call)
  if (account.deactivationReason === null) return answer(call, account)
  return changed(call, account, { deactivationReason: null }, 'external_account.reactivated')
}

/** The result is stored immediately and shown later, so that a restart does not lose it. */
function verify(call: Call): Outcome {
  const { bank, now } = call
  const account = accountOf(call)
  if (account.verification && account.verification.completedAt > now) {
    throw refusal(409, 'resource_state_conflict', 'A verification of this account is already running.')
  }
  const completedAt = now + bank.settings.verifyMs
  const verification = { requestedAt: now, completedAt, matchLevel: 'match', reasonCode: 'MATC' }
  return changed(call, account, { verification }, 'external_account.verified')
}

function presentVerification({ now }: Moment, { verification, ownerName }: ExternalAccount): Record<string, unknown> {
  if (!verification) return {}
  const done = verification.completedAt <= now
  const gb = done
    ? {
        match_level: verification.matchLevel,
        reason_code: verification.reasonCode,
        validated_account_owner_name: verification.matchLevel === 'match' ? ownerName : null,
      }
    : { match_level: 'pending', reason_code: null, validated_account_owner_name: null }
  const completedAt = done ? isoTime(verification.completedAt) : null
  return { account_verification: { gb, requested_at: isoTime(verification.requestedAt), completed_at: completedAt } }
}

function changed(call: Call, account: ExternalAccount, change: Partial<ExternalAccount>, what: string): Outcome {
  const body = presentAccount(call, { ...account, ...change, updatedAt: call.now })
  return { status: 200, body, what, puts: changeAccount(call, account, change) }
}

function answer(call: Call, account: ExternalAccount): Outcome {
  return { status: 200, body: presentAccount(call, account) }
}

function accountOf(call: Call): ExternalAccount {
  const account = call.books.externalAccounts.get(call.param('account'))
  if (!account || account.customerId !== customerOf(call).id) throw notFound('external_account')
  return account
}
