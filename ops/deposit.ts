// Deposits and withdrawals that nobody could explain: listed until somebody has decided whose they are.
import { type HeldDecision, resolveHeld } from '../activities/wallet-reading/resolve-held'
import { type HeldDeposit, listHeldDeposits } from '../db/held-deposits'
import { type FailedReading, listFailedReadings } from '../db/wallet-readings'
import { formatUsdcExactly } from '../domain/money'
import { type Answer, type Command, defineCommand, done, refused } from './command'
import type { Ops } from './connect'
import { creditAmount, note, optional, required, uuid } from './options'
import { table } from './print'

const shownAtOnce = 200
const anId = '019aa3d0-7e1c-7c4b-9f0e-3a52d1c8e6b4'

const list = defineCommand({
  noun: 'deposit',
  verb: 'list',
  about: `Shows the deposits that are held, and the withdrawals, because nobody could say whose or what they are, and the wallets whose history at the bank could not be read; at most ${shownAtOnce} of each.`,
  options: {},
  example: [],
  async run({ db }) {
    const deposits = (await listHeldDeposits(db, shownAtOnce)).map(presentHeld)
    const header = ['ID', 'FOUND', 'PARTNER', 'ENVIRONMENT', 'USDC', 'WHY', 'BANK REF']
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

const credit = defineCommand({
  noun: 'deposit',
  verb: 'credit',
  about: 'Puts a deposit that was held into the wallet it came to: it is the partner’s.',
  options: {
    deposit: required(uuid, 'Which deposit, by the id that deposit list shows.'),
    note: required(note, 'Why, without names and account numbers.'),
    usdc: optional(creditAmount, 'How much; only for one whose own amount could not be read.'),
  },
  example: ['--deposit', anId, '--note', 'The partner sent it by another way'],
  run: (ops, { deposit: id, note, usdc = null }) =>
    decide(ops, { id, note, outcome: 'credited', amountMicroUsdc: usdc, by: ops.madeBy }),
})

const keep = defineCommand({
  noun: 'deposit',
  verb: 'keep',
  about: 'Says that a deposit which was held is not the partner’s: it stays where it is, and is listed no more.',
  options: {
    deposit: required(uuid, 'Which deposit, by the id that deposit list shows.'),
    note: required(note, 'Why, without names and account numbers.'),
  },
  example: ['--deposit', anId, '--note', 'The bank has taken it back'],
  run: (ops, { deposit: id, note }) =>
    decide(ops, { id, note, outcome: 'kept', amountMicroUsdc: null, by: ops.madeBy }),
})

export const depositCommands: readonly Command[] = [list, credit, keep]

async function decide(ops: Ops, decision: HeldDecision): Promise<Answer> {
  const { id, outcome } = decision
  const resolved = await resolveHeld(ops, decision)
  switch (resolved.outcome) {
    case 'not_found':
      return refused('not_found', `No deposit ${id} is held.`)
    case 'not_a_deposit':
      return refused('invalid_request', 'It has left the wallet, so there is nothing to credit: find out who sent it.')
    case 'amount_needed':
      return refused('invalid_request', 'Its amount could not be read: say with --usdc how much is to be credited.')
    case 'amount_known':
      return refused('invalid_request', 'Its amount is known: leave --usdc out.')
    case 'resolved': {
      const { partner, environment } = resolved.deposit
      const credited_usdc = formatUsdcExactly(resolved.creditedMicroUsdc)
      const sentence =
        outcome === 'credited'
          ? `Credited ${credited_usdc} USDC to the ${environment} wallet of ${partner}.`
          : `The deposit ${id} stays where it is.`
      return done({ id, partner, environment, outcome, credited_usdc }, sentence)
    }
  }
}

function presentFailed({ partner, environment, reason, since, failedAt, failures }: FailedReading) {
  const times = { since: since.toISOString(), failed_at: failedAt.toISOString() }
  return { partner, environment, reason, ...times, failures }
}

// The order of the fields is the order of the list's columns.
function presentHeld({ id, foundAt, partner, environment, amountMicroUsdc, why, bankRef }: HeldDeposit) {
  return {
    id,
    found_at: foundAt.toISOString(),
    partner,
    environment,
    usdc: amountMicroUsdc === null ? null : formatUsdcExactly(amountMicroUsdc),
    why,
    bank_ref: bankRef,
  }
}
