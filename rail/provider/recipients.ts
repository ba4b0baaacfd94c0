// Registers a recipient's account at the bank, or uses the existing registration.
import { createHash } from 'node:crypto'
import type { RecipientToRegister, Registered } from '../rail'
import { reasonFor, reasons } from '../reasons'
import { isSuccess, part } from './ask'
import { causeOf } from './cause'
import type { Answer, Answered, Client } from './client'
import { Unreadable, valueAt } from './fields'
import { type Account, readAccount, readError } from './map'
import { recipientBody } from './reference'

export async function registerRecipient(
  client: Client,
  { customerRef, recipient, key }: Omit<RecipientToRegister, 'endBy'>,
): Promise<Registered> {
  const path = `/customers/${part(customerRef)}/external_accounts`
  const body = recipientBody(recipient)
  const register = (under: string) => client.call({ method: 'POST', path, key: under, body })
  const first = await register(key)
  // Registration moves no money, so a second key is safe. If the call with the first key has registered the account,
  // the code below uses that registration.
  const answer = isKeySpent(first) ? await register(derivedKey(key, body)) : first
  if (isSuccess(answer)) return settle(client, { path, key, answer })
  const existing = existingRef(answer)
  if (existing === null) return refusalOf(answer)
  return settle(client, { path, key, answer: await client.call({ method: 'GET', path: `${path}/${part(existing)}` }) })
}

/**
 * Whether the key cannot be used again. Either the bank has seen it with another body, for example from an earlier
 * release, or its first use was more than a day ago.
 */
function isKeySpent(answer: Answer): boolean {
  if (answer.stage !== 'answered') return false
  const { code } = readError(answer.body)
  return (
    answer.status === 422 ||
    (answer.status === 400 && ['not_truly_idempotent', 'duplicate_record'].includes(code ?? ''))
  )
}

interface Step {
  readonly path: string
  readonly key: string
  readonly answer: Answer
}

/** A returned payment deactivates the account. The partner may pay it again, so this function reactivates it. */
async function settle(client: Client, { path, key, answer }: Step): Promise<Registered> {
  const account = accountOf(answer)
  if (account === null) return unavailable(answer)
  if (account.active) return { outcome: 'registered', recipientRef: account.ref }
  if (goneForGood.includes(account.deactivationReason ?? '')) {
    return { outcome: 'rejected', reason: reasonFor(account.deactivationReason), cause: 'account deactivated' }
  }
  const woken = await client.call({
    method: 'POST',
    path: `${path}/${part(account.ref)}/reactivate`,
    key: derivedKey(key, 'reactivate'),
    body: '{}',
  })
  if (!isSuccess(woken)) return refusalOf(woken)
  return accountOf(woken)?.active ? { outcome: 'registered', recipientRef: account.ref } : unavailable(woken)
}

/** The bank's codes for rejecting the account itself. Reactivating such an account would fail again. */
const goneForGood: readonly string[] = [
  'invalid_account_number',
  'invalid_bank_validation',
  'rejected_by_bank_provider',
]

function existingRef(answer: Answer): string | null {
  if (answer.stage !== 'answered' || readError(answer.body).code !== 'duplicate_external_account') return null
  const ref = valueAt(answer.body, 'id')
  return typeof ref === 'string' && ref !== '' ? ref : null
}

function accountOf(answer: Answer): Account | null {
  if (!isSuccess(answer)) return null
  try {
    return readAccount(answer.body)
  } catch (error) {
    if (error instanceof Unreadable) return null
    throw error
  }
}

const ofTheAccount: readonly string[] = [
  'invalid_parameters',
  'invalid_account',
  'deactivated_external_account',
  'frozen',
]

/**
 * Only a refusal of the account details concerns the recipient. Every other refusal means a failure of the bank or a
 * mistake in our configuration.
 */
function refusalOf(answer: Answer): Registered {
  if (answer.stage !== 'answered' || answer.status !== 400) return unavailable(answer)
  const { code, field } = readError(answer.body)
  if (code === null || !ofTheAccount.includes(code)) return unavailable(answer)
  const account = field === null || field.startsWith('account')
  const reason = account ? reasons.invalid_account : reasons.details_refused
  return { outcome: 'rejected', reason, cause: causeOf(answer) }
}

function unavailable(answer: Answer): Registered {
  const cause = causeOf(answer)
  if (answer.stage !== 'answered') return { outcome: 'unavailable', why: 'unavailable', retryAfterMs: null, cause }
  return { outcome: 'unavailable', why: whyOf(answer), retryAfterMs: answer.retryAfterMs, cause }
}

function whyOf({ status, body }: Answered): 'busy' | 'unavailable' | 'misconfigured' {
  if (status === 429) return 'busy'
  const isOurLimit = status === 403 && readError(body).code === 'developer_limits_exceeded'
  return status === 401 || isOurLimit ? 'misconfigured' : 'unavailable'
}

/** Derives the key for a second call, which must be the same on each retry. It is a UUID, as in the bank's examples. */
function derivedKey(key: string, purpose: string): string {
  const hex = createHash('sha256').update(`${key}:${purpose}`).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}
