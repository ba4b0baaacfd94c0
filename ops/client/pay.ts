// `pay`: pays once per idempotency key. Shows the cost and asks first, unless --yes is given.
import { readFileSync } from 'node:fs'
import {
  accountNumberPattern,
  addressMaxLength,
  nameMaxLength,
  referenceMaxLength,
  sortCodePattern,
} from '../../domain/limits'
import { formatPence } from '../../domain/money'
import {
  ApiError,
  type CreatePayoutRequest,
  idempotencyKey as keys,
  type Payout,
  PayoutsError,
  type Quote,
  type Recipient,
} from '../../sdk/typescript/src'
import { defineClientCommand, type ParsedOptions, type Refusal, refused } from '../command'
import { CommandError } from '../errors'
import { email, flag, idempotencyKey, type Kind, line, optional, payoutAmount, required } from '../options'
import { fields } from '../print'
import { type Credentials, printableOf, withApi } from './credentials'
import { answerFor, describePayout, file } from './payouts'

const sortCode: Kind<string> = {
  placeholder: '<digits>',
  rule: '6 digits, such as 200415 or 20-04-15',
  parse: (text) => matching(sortCodePattern, text.replaceAll('-', '')),
}

const accountNumber: Kind<string> = {
  placeholder: '<digits>',
  rule: '8 digits',
  parse: (text) => matching(accountNumberPattern, text),
}

const name = line('<name>', nameMaxLength)
const addressLine = line('<text>', addressMaxLength)

const options = {
  key: required(idempotencyKey, 'Your own name for this payment, such as an order ID. A key never pays twice.'),
  amount: required(payoutAmount, 'The amount that the recipient receives.'),
  reference: optional(line('<text>', referenceMaxLength), 'Your reference. The recipient sees its first characters.'),
  recipient: optional(file, 'A JSON file with the recipient, as in the API. It replaces the options below.'),
  'first-name': optional(name, 'The first name. For a business, the first word of its name.'),
  'last-name': optional(name, 'The last name. For a business, the rest of its name.'),
  business: optional(flag, 'The recipient is a business.'),
  email: optional(email, 'The email address.'),
  line1: optional(addressLine, 'House and street.'),
  line2: optional(addressLine, 'The second line of the address.'),
  city: optional(addressLine, 'The town or city.'),
  'postal-code': optional(addressLine, 'The postcode.'),
  'bank-name': optional(addressLine, 'The name of the bank.'),
  'sort-code': optional(sortCode, 'The sort code of the account.'),
  'account-number': optional(accountNumber, 'The number of the account.'),
  yes: optional(flag, 'Pays without asking, for scripts.'),
}

type Given = ParsedOptions<typeof options>

export const pay = defineClientCommand('pay', {
  about: 'Pays pounds into a UK bank account. Shows the cost and asks first. Repeating the command pays once.',
  options,
  example: ['--key', 'order-1001', '--amount', '120.00', '--recipient', 'ada.json'],
  run: withApi<typeof options>(async (api, { session, given, credentials }) => {
    const isConfirmed = given.yes !== undefined
    if (!isConfirmed && !session.isInteractive)
      return refused('invalid_request', '`pay` needs --yes if no person can confirm it at a terminal.')
    const order = orderOf(given)
    if ('outcome' in order) return order

    // A key that is already used needs no confirmation: the API answers with its payout, or refuses another request.
    const { data } = await api.payouts.list({ idempotency_key: given.key, limit: 1 }).page()
    if (data.length === 0 && !isConfirmed) {
      const quote = await api.quotes.create({ amount_gbp: order.amount_gbp })
      session.say(summaryOf(order, quote, { environment: credentials.environment, key: given.key }))
      const answer = await session.ask('\nPay? [y/N] ')
      if (!/^y(es)?$/i.test(answer)) return refused('not_confirmed', 'Nothing was paid.')
    }
    const payout = await tellIfInterrupted(() =>
      api.payouts.create(order, { idempotencyKey: keys.from(given.key) }),
    ).catch((error: unknown) => explained(error, credentials))
    return answerFor(payout, `${describePayout(payout)}\n\n${noteFor(payout, data.length > 0)}`)
  }),
})

function orderOf(given: Given): CreatePayoutRequest | Refusal {
  const { amount, reference } = given
  const recipient = given.recipient === undefined ? recipientIn(given) : recipientFrom(given.recipient)
  if ('outcome' in recipient) return recipient
  return { amount_gbp: formatPence(amount), ...(reference !== undefined && { reference }), recipient }
}

/** The API checks the content. */
function recipientFrom(path: string): Recipient | Refusal {
  try {
    const recipient: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (isRecipient(recipient)) return recipient
  } catch {}
  return refused('invalid_request', '--recipient must be a readable file with a recipient as a JSON object.')
}

function isRecipient(value: unknown): value is Recipient {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function recipientIn(given: Given): Recipient | Refusal {
  const { business, email: address, line1, line2, city } = given
  const [first_name, last_name, postal_code] = [given['first-name'], given['last-name'], given['postal-code']]
  const [bank_name, sort_code, account_number] = [given['bank-name'], given['sort-code'], given['account-number']]
  const isComplete = first_name && last_name && line1 && city && postal_code && bank_name && sort_code && account_number
  if (!isComplete) {
    const missing = neededForRecipient.filter((option) => given[option] === undefined).map((option) => `--${option}`)
    return refused('invalid_request', `\`pay\` needs --recipient, or also ${missing.join(', ')}.`)
  }
  return {
    type: business === undefined ? 'individual' : 'business',
    first_name,
    last_name,
    ...(address !== undefined && { email: address }),
    address: { line1, ...(line2 !== undefined && { line2 }), city, postal_code },
    bank: { bank_name, sort_code, account_number },
  }
}

const neededForRecipient = [
  'first-name',
  'last-name',
  'line1',
  'city',
  'postal-code',
  'bank-name',
  'sort-code',
  'account-number',
] as const

function summaryOf(
  { recipient, reference }: CreatePayoutRequest,
  quote: Quote,
  { environment, key }: { environment: string; key: string },
): string {
  return fields({
    environment: environment === 'live' ? 'live: this moves real money' : environment,
    recipient: `${recipient.first_name} ${recipient.last_name}`,
    account: recipient.bank && `${recipient.bank.sort_code} ${recipient.bank.account_number}`,
    reference: reference ?? null,
    'recipient gets': `${quote.seller_receives_gbp} GBP`,
    'wallet sends': `${quote.wallet_sends_usdc} USDC at ${quote.exchange_rate.gbp_per_usd} GBP per USD`,
    fee: `${quote.fee_gbp} GBP, of which ${quote.fee_breakdown.on_monthly_invoice_gbp} GBP on the monthly invoice`,
    'idempotency key': key,
  })
}

function noteFor({ id, status }: Payout, isRepeated: boolean): string {
  if (isRepeated) return 'This key was already used. This is its payout: nothing was paid again.'
  if (status === 'failed') return 'Nothing was paid.'
  return `To wait for the outcome: payouts watch ${id}`
}

const isUnknown = 'The outcome is unknown: repeat the same command, which pays at most once.'

/** Adds to the message whether the payout may exist despite the error. If it may, the exit code is 1. */
function explained(error: unknown, credentials: Credentials): never {
  if (!(error instanceof PayoutsError) || error.code === 'idempotency_key_reused') throw error
  const isRefused = error instanceof ApiError && isProofOfRefusal(error)
  error.message = `${error.message} ${isRefused ? 'Nothing was paid.' : isUnknown}`
  throw isRefused ? error : new CommandError(printableOf(error, credentials))
}

/**
 * Whether the API itself states that it stored nothing. A proxy can answer with any status. A 401 or 429 can follow a
 * first attempt that was stored but whose response was lost.
 */
function isProofOfRefusal({ code, status }: ApiError): boolean {
  if (code === 'unexpected_response') return false
  return (
    ['payout_not_created', 'provider_unavailable'].includes(code) || [400, 402, 403, 413, 415, 422].includes(status)
  )
}

/** Ctrl-C during the request must not look as if nothing was paid. */
async function tellIfInterrupted<T>(work: () => Promise<T>): Promise<T> {
  const tell = () => {
    process.stderr.write(`\n${isUnknown}\n`)
    process.exit(130)
  }
  process.once('SIGINT', tell)
  try {
    return await work()
  } finally {
    process.off('SIGINT', tell)
  }
}

function matching(pattern: string, text: string): string | undefined {
  return new RegExp(pattern).test(text) ? text : undefined
}
