// Held deposits and withdrawals. Nothing in our records explains them, so an operator decides.

import { type HeldDeposit, listHeldDeposits } from '../../db/wallets/held-deposits'
import { type FailedReading, listFailedReadings } from '../../db/wallets/readings'
import {
  confirmHeld,
  type HeldDecision,
  type Request,
  requestOf,
  resolveHeld,
  withdrawRequest,
} from '../../db/wallets/resolve-held-deposit'
import { formatUsdcExactly } from '../../domain/money'
import { type Answer, type Command, defineCommand, done, refused } from '../command'
import type { Ops } from '../connect'
import { creditAmount, exactUsdc, exampleId, note, optional, required, uuid } from '../options'
import { shownAtOnce, table } from '../print'

const list = defineCommand('deposit list', {
  about: `Shows unexplained deposits and withdrawals, which are held, and wallets whose history at the bank could not be read; at most ${shownAtOnce} of each.`,
  async run({ db, clock }) {
    const now = clock.now()
    const deposits = (await listHeldDeposits(db, shownAtOnce)).map((deposit) => presentHeld(deposit, now))
    const header = ['ID', 'FOUND', 'PARTNER', 'ENVIRONMENT', 'USDC', 'WHY', 'BANK REF', 'REQUESTED', 'BY', 'UNTIL']
    const rows = deposits.map((deposit) => Object.values(deposit))
    const failed = (await listFailedReadings(db, shownAtOnce)).map(presentFailed)
    const lines = [rows.length > 0 ? table(header, rows) : 'No deposit is held.']
    if (failed.length > 0) {
      const cells = failed.map(({ failures, ...reading }) => [...Object.values(reading), String(failures)])
      lines.push('Not read:', table(['PARTNER', 'ENVIRONMENT', 'REASON', 'SINCE', 'LAST FAILURE', 'FAILURES'], cells))
    }
    return done({ object: 'list', data: deposits, not_read: failed }, lines.join('\n'))
  },
})

const theDeposit = required(uuid, 'The ID of the deposit, from `deposit list`.')

const credit = defineCommand('deposit credit', {
  about:
    'Credits a held deposit to the wallet that received it. A live credit above DEPOSIT_CONFIRM_ABOVE_USDC is only requested, and a second operator must confirm it.',
  options: {
    deposit: theDeposit,
    note: required(note, 'The reason, without names or account numbers.'),
    usdc: optional(creditAmount, 'The amount; required only if the amount of the deposit could not be read.'),
  },
  example: ['--deposit', exampleId, '--note', 'Sent over another network'],
  run: (ops, { deposit: id, note, usdc = null }) =>
    decide(ops, { id, note, outcome: 'credited', amountMicroUsdc: usdc, by: ops.madeBy, login: ops.login }),
})

const confirm = defineCommand('deposit confirm', {
  about: 'Confirms a credit that another operator requested with `deposit credit`, and credits the deposit.',
  options: {
    deposit: theDeposit,
    usdc: required(exactUsdc, 'The amount; it must equal the requested one.'),
    note: required(note, 'What you checked, without names or account numbers.'),
  },
  example: ['--deposit', exampleId, '--usdc', '25000.00', '--note', 'Compared with the bank statement'],
  async run(ops, { deposit: id, usdc: amountMicroUsdc, note }) {
    const confirmed = await confirmHeld(ops, { id, amountMicroUsdc, note, by: ops.madeBy, login: ops.login })
    switch (confirmed.outcome) {
      case 'not_found':
        return notHeld(id)
      case 'not_requested':
        return refused(
          'invalid_state',
          `No credit of ${id} is waiting for a second operator: request it with \`deposit credit\`.`,
        )
      case 'same_operator':
        return refused('invalid_state', 'You requested this credit yourself: another operator has to confirm it.')
      case 'amount_differs':
        return refused(
          'invalid_request',
          `The amount differs from the requested one: ${describeRequest(confirmed.request)}.`,
        )
      case 'resolved':
        return credited(confirmed)
    }
  },
})

const withdraw = defineCommand('deposit withdraw', {
  about: 'Withdraws a requested credit that is not confirmed yet. The deposit stays held.',
  options: { deposit: theDeposit },
  example: ['--deposit', exampleId],
  async run(ops, { deposit: id }) {
    const outcome = await withdrawRequest(ops, { id, by: ops.madeBy })
    if (outcome === 'not_found') return notHeld(id)
    if (outcome === 'not_requested') {
      return refused('invalid_state', `No credit of ${id} is waiting for a second operator.`)
    }
    return done({ id, outcome }, `The request to credit the deposit ${id} is withdrawn; the deposit is still held.`)
  },
})

const keep = defineCommand('deposit keep', {
  about: 'Decides that a held deposit is not the partner’s: it stays in suspense and leaves the list.',
  options: { deposit: theDeposit, note: required(note, 'The reason, without names or account numbers.') },
  example: ['--deposit', exampleId, '--note', 'The bank has taken it back'],
  run: (ops, { deposit: id, note }) =>
    decide(ops, { id, note, outcome: 'kept', amountMicroUsdc: null, by: ops.madeBy, login: ops.login }),
})

export const commands: readonly Command[] = [list, credit, confirm, withdraw, keep]

async function decide(ops: Ops, decision: HeldDecision): Promise<Answer> {
  const { id } = decision
  const confirmAboveMicroUsdc = BigInt(ops.depositConfirmAboveUsdc) * 1_000_000n
  const resolved = await resolveHeld({ db: ops.db, clock: ops.clock, confirmAboveMicroUsdc }, decision)
  switch (resolved.outcome) {
    case 'not_found':
      return notHeld(id)
    case 'not_a_deposit':
      return refused('invalid_request', 'It is a withdrawal, so there is nothing to credit: find out who ordered it.')
    case 'amount_needed':
      return refused('invalid_request', 'Its amount could not be read: give the amount with --usdc.')
    case 'amount_known':
      return refused('invalid_request', 'Its amount is known: omit --usdc.')
    case 'request_open': {
      const sentence = `A credit is already waiting for a second operator, ${describeRequest(resolved.request)}: confirm it with \`deposit confirm\`, or withdraw it with \`deposit withdraw\`.`
      return refused('invalid_state', sentence)
    }
    case 'requested': {
      const { partner, environment } = resolved.deposit
      const { amountMicroUsdc, expiresAt } = resolved.request
      const requested_usdc = formatUsdcExactly(amountMicroUsdc)
      const sentence = `Nothing is credited yet: ${requested_usdc} USDC for the ${environment} wallet of ${partner} are waiting for a second operator until ${expiresAt.toISOString()} (\`deposit confirm --deposit ${id} --usdc ${requested_usdc}\`).`
      return done({ id, partner, environment, outcome: 'requested', requested_usdc, expires_at: expiresAt }, sentence)
    }
    case 'resolved': {
      if (decision.outcome === 'credited') return credited(resolved)
      const { partner, environment } = resolved.deposit
      const json = { id, partner, environment, outcome: 'kept', credited_usdc: '0.00' }
      return done(json, `The deposit ${id} stays in suspense.`)
    }
  }
}

function presentFailed({ partner, environment, reason, since, failedAt, failures }: FailedReading) {
  const times = { since: since.toISOString(), failed_at: failedAt.toISOString() }
  return { partner, environment, reason, ...times, failures }
}

function credited({ deposit, creditedMicroUsdc }: { deposit: HeldDeposit; creditedMicroUsdc: bigint }): Answer {
  const { id, partner, environment } = deposit
  const credited_usdc = formatUsdcExactly(creditedMicroUsdc)
  const json = { id, partner, environment, outcome: 'credited', credited_usdc }
  return done(json, `Credited ${credited_usdc} USDC to the ${environment} wallet of ${partner}.`)
}

function notHeld(id: string): Answer {
  return refused('not_found', `No deposit ${id} is held.`)
}

function describeRequest({ amountMicroUsdc, by, expiresAt }: Request): string {
  return `${formatUsdcExactly(amountMicroUsdc)} USDC by ${by} until ${expiresAt.toISOString()}`
}

// The order of the fields is the order of the list's columns.
function presentHeld(deposit: HeldDeposit, now: Date) {
  const { id, foundAt, partner, environment, amountMicroUsdc, why, bankRef } = deposit
  const request = requestOf(deposit, now)
  return {
    id,
    found_at: foundAt.toISOString(),
    partner,
    environment,
    usdc: amountMicroUsdc === null ? null : formatUsdcExactly(amountMicroUsdc),
    why,
    bank_ref: bankRef,
    requested_usdc: request && formatUsdcExactly(request.amountMicroUsdc),
    requested_by: request?.by ?? null,
    request_expires_at: request?.expiresAt.toISOString() ?? null,
  }
}
