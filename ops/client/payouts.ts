// `list`, `get`, `watch` and `csv`: a partner's payouts, for people and for scripts.
import { writeFileSync } from 'node:fs'
import { formatPence } from '../../domain/money'
import { payoutStatuses, type PayoutStatus as Status } from '../../domain/payouts/payout'
import { isUuid } from '../../domain/uuid'
import { errorCode } from '../../local/files'
import { systemClock } from '../../runtime/clock'
import { ApiError, type Client, type Payout, TimeoutError } from '../../sdk/typescript/src'
import {
  type Answer,
  defineClientCommand,
  done,
  foundProblem,
  type ParsedOptions,
  refused,
  type Session,
} from '../command'
import { exampleId, idempotencyKey, type Kind, last4, line, optional, payoutAmount, required, since } from '../options'
import { fields, table } from '../print'
import { withApi } from './credentials'

const statuses: Kind<readonly Status[]> = {
  placeholder: '<status>',
  rule: `one or more of ${payoutStatuses.join(', ')}, separated by commas`,
  offers: payoutStatuses,
  parse: (text) => {
    const known = payoutStatuses.filter((status) => text.split(',').includes(status))
    return known.length === text.split(',').length ? known : undefined
  },
}

const count: Kind<number> = {
  placeholder: '<number>',
  rule: 'a whole number from 1 to 1000',
  parse: (text) => (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= 1_000 ? Number(text) : undefined),
}

const seconds: Kind<number> = {
  placeholder: '<seconds>',
  rule: 'a whole number from 1 to 604800',
  parse: (text) => (/^[1-9]\d{0,5}$/.test(text) && Number(text) <= longestWait ? Number(text) : undefined),
}

/** A week. */
const longestWait = 604_800
const pageSize = 100
const shownByDefault = 20

export const file: Kind<string> = {
  placeholder: '<file>',
  rule: 'the path of a file',
  offers: 'files',
  parse: (text) => text,
}

const idOrKey: Kind<string> = { ...idempotencyKey, placeholder: '<id or key>', rule: 'an ID or an idempotency key' }

const filters = {
  status: optional(statuses, 'The status, or several.'),
  since: optional(since, 'Created at this time or later.'),
  search: optional(line('<text>', 120), 'Part of the reference or of the name, or exactly the last four digits.'),
  key: optional(idempotencyKey, 'The idempotency key.'),
  reference: optional(line('<reference>', 120), 'The reference.'),
  'recipient-last4': optional(last4, "The end of the recipient's account number."),
  'min-amount': optional(payoutAmount, 'The smallest amount.'),
  'max-amount': optional(payoutAmount, 'The largest amount.'),
}

const listOptions = {
  ...filters,
  limit: optional(count, `How many to show, newest first. The default is ${shownByDefault}.`),
}

const list = defineClientCommand('list', {
  about: 'Lists payouts, newest first.',
  options: listOptions,
  example: ['--status', 'failed,returned', '--since', '7d'],
  run: withApi<typeof listOptions>(async (api, { given }) => {
    const { limit = shownByDefault } = given
    const data: Payout[] = []
    for await (const payout of api.payouts.list({ ...queryOf(given), limit: Math.min(limit + 1, pageSize) })) {
      data.push(payout)
      if (data.length > limit) break
    }
    const shown = data.slice(0, limit)
    const note = data.length > limit ? `\nThere are more: narrow the list, add --limit, or use \`csv\`.` : ''
    const text = shown.length === 0 ? 'No payouts.' : `${table(header, shown.map(rowOf))}${note}`
    return done({ object: 'list', data: shown, has_more: data.length > limit }, text)
  }),
})

const oneOption = { payout: required(idOrKey, 'The payout.') }

const get = defineClientCommand('get', {
  about: 'Shows a payout.',
  options: oneOption,
  bare: 'payout',
  example: [exampleId],
  run: withApi<typeof oneOption>(async (api, { given }) => {
    const payout = await findPayout(api, given.payout)
    return payout === null ? unknown(given.payout) : done(payout, describePayout(payout))
  }),
})

const watchOptions = {
  ...oneOption,
  wait: optional(seconds, 'How long to wait at most. Without it, waits until the payout is final.'),
}

const watch = defineClientCommand('watch', {
  about: 'Waits until a payout is final. Exits with 1 if it was not paid.',
  options: watchOptions,
  bare: 'payout',
  example: [exampleId],
  run: withApi<typeof watchOptions>(async (api, { session, given }) => {
    const found = await findPayout(api, given.payout)
    if (found === null) return unknown(given.payout)
    const payout = await waited(api, found, given.wait ?? longestWait, sayStatus(session))
    if (isFinal(payout)) return answerFor(payout, describePayout(payout))
    return foundProblem(payout, `${describePayout(payout)}\n\nThe payout is not final yet: repeat the command.`)
  }),
})

const csvOptions = { ...filters, file: optional(file, 'The file to write. Without it, prints the CSV.') }

const csv = defineClientCommand('csv', {
  about: 'Exports all matching payouts as CSV.',
  options: csvOptions,
  example: ['--since', '2026-11-01', '--file', 'payouts.csv'],
  run: withApi<typeof csvOptions>(async (api, { session, given }) => {
    if (session.form === 'json' && given.file === undefined)
      return refused('invalid_request', '`csv` prints CSV: use `list --json`, or add --file.')
    const text = await api.payouts.csv(queryOf(given))
    // The line feed is added again when the answer is printed.
    if (given.file === undefined) return done(null, text.replace(/\n$/, ''))
    try {
      // Spreadsheets recognise UTF-8 by this mark, which decoding has removed.
      writeFileSync(given.file, `\uFEFF${text}`)
    } catch (error) {
      return refused('invalid_request', `--file cannot be written (${errorCode(error)}).`)
    }
    const payouts = text.trimEnd().split('\n').length - 1
    return done(
      { object: 'export', file: given.file, payouts },
      `Wrote ${payouts} ${payouts === 1 ? 'payout' : 'payouts'} to ${given.file}.`,
    )
  }),
})

export const payoutCommands = [list, get, watch, csv]

/** The exit code is 1 if the payout was not paid. */
export function answerFor(payout: Payout, text: string): Answer {
  const isUnpaid = ['failed', 'cancelled', 'returned'].includes(payout.status)
  return isUnpaid ? foundProblem(payout, text) : done(payout, text)
}

export function describePayout(payout: Payout): string {
  return fields({
    id: payout.id,
    environment: payout.environment,
    status: payout.status,
    ...(payout.failure_reason && { failure: payout.failure_reason }),
    recipient: payout.recipient.name,
    account: payout.recipient.account_last4 && `ends in ${payout.recipient.account_last4}`,
    'recipient gets': `${payout.amount_gbp} GBP`,
    'wallet sends': `${payout.wallet_sent_usdc} USDC`,
    fee: `${payout.fee_gbp} GBP, of which ${payout.fee_breakdown.on_monthly_invoice_gbp} GBP on the monthly invoice`,
    'idempotency key': payout.idempotency_key,
    reference: payout.reference ?? null,
    created: payout.created_at,
    completed: payout.completed_at,
  })
}

function isFinal({ status }: Payout): boolean {
  return status !== 'pending' && status !== 'processing'
}

/** Prints each status before the final one once. The answer contains the final one. */
function sayStatus(session: Session): (payout: Payout) => void {
  let said: Status | null = null
  return (payout) => {
    if (isFinal(payout) || payout.status === said) return
    said = payout.status
    session.say(`The payout is ${said}.`)
  }
}

/** Waits until the payout is final or the time limit expires, and returns it. */
async function waited(
  api: Client,
  { id }: Payout,
  forSeconds: number,
  onChange: (payout: Payout) => void,
): Promise<Payout> {
  try {
    return await api.payouts.waitFor(id, { timeoutMs: forSeconds * 1_000, onChange })
  } catch (error) {
    if (error instanceof TimeoutError) return api.payouts.get(id)
    throw error
  }
}

/** Tries the name as a payout ID first, and then as a key. A key can look like a payout ID. */
async function findPayout(api: Client, name: string): Promise<Payout | null> {
  const found = isUuid(name) ? await api.payouts.get(name).catch(nullIfUnknown) : null
  if (found !== null) return found
  const { data } = await api.payouts.list({ idempotency_key: name, limit: 1 }).page()
  return data[0] ?? null
}

function nullIfUnknown(error: unknown): null {
  if (error instanceof ApiError && error.code === 'not_found') return null
  throw error
}

/** A payout that was just sent may not be stored yet. */
function unknown(name: string): Answer {
  const sentence = `No payout with the ID or idempotency key ${name} is known. If you sent it just now, repeat \`pay\` with the same key.`
  return refused('not_found', sentence)
}

function queryOf(given: ParsedOptions<typeof filters>) {
  const { status, since: from, search: q, key: idempotency_key, reference } = given
  const [last, min, max] = [given['recipient-last4'], given['min-amount'], given['max-amount']]
  return {
    ...(status && { status }),
    ...(from && { created_after: from(systemClock.now()).toISOString() }),
    ...(q && { q }),
    ...(idempotency_key && { idempotency_key }),
    ...(reference && { reference }),
    ...(last && { account_last4: last }),
    ...(min !== undefined && { amount_min: formatPence(min) }),
    ...(max !== undefined && { amount_max: formatPence(max) }),
  }
}

const header = ['ID', 'STATUS', 'GBP', 'FEE', 'RECIPIENT', 'ACCOUNT', 'KEY', 'REFERENCE', 'CREATED']

function rowOf(payout: Payout): (string | null)[] {
  const { id, status, amount_gbp, fee_gbp, recipient, idempotency_key, reference = null, created_at } = payout
  const { name, account_last4 } = recipient
  return [id, status, amount_gbp, fee_gbp, name, account_last4, idempotency_key, reference, created_at]
}
