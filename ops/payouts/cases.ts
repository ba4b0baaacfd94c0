// Recalls and traces, which operators resolve with the bank.

import { presentCase } from '../../api/payouts/present'
import {
  addCaseNote,
  type CaseRow,
  findCase,
  listCaseNotes,
  listOpenCases,
  lockCase,
  openCase,
} from '../../db/payouts/cases/cases'
import { type ResolvedCase, resolveCase } from '../../db/payouts/cases/resolve'
import { findPayoutStory } from '../../db/payouts/story'
import { formatPence, micropoundsFromPence, penceFromMicropounds } from '../../domain/money'
import { caseKinds, caseOutcomes, caseStatusOf } from '../../domain/payouts/case'
import { starts } from '../../workflows/starts'
import { type Answer, type Command, defineCommand, done, type Refusal, refused, unknownPayout } from '../command'
import { type Ops, recordChange } from '../connect'
import { exampleId, note, oneOf, optional, price, required, thePayout, uuid } from '../options'
import { fields, shownAtOnce, table } from '../print'
import { tryTemporal } from '../reach-temporal'

const theCase = required(uuid, 'The case.')

const open = defineCommand('case open', {
  about:
    'Opens a recall of a completed payout, or a trace of one that is processing or completed. The partner sees it.',
  options: {
    payout: thePayout,
    kind: required(oneOf(caseKinds), 'A recall asks for the money back; a trace locates it.'),
    reason: required(note, 'The reason; the partner sees it.'),
  },
  example: ['--payout', exampleId, '--kind', 'trace', '--reason', 'The recipient is still waiting'],
  async run(ops, { payout, kind, reason }) {
    const at = ops.clock.now()
    const dueAt = new Date(at.getTime() + ops.caseDueMs[kind])
    const opened = await ops.db.transaction(async (tx) => {
      const about = { payoutId: payout, kind, reason, openedBy: ops.madeBy, openedAt: at, dueAt }
      const result = await openCase(tx, about)
      if (result.outcome !== 'opened') return result
      const { partnerId, environment } = result.case
      const detail = `${kind} of ${payout}`
      await recordChange(ops, tx, { partnerId, at, environment, action: 'case.open', detail })
      return result
    })
    if (opened.outcome === 'not_found') return unknownPayout(payout)
    if (opened.outcome === 'wrong_status') {
      const sentence = `A ${opened.status} payout cannot have a ${kind}.`
      return refused('invalid_state', sentence, { status: opened.status })
    }
    if (opened.outcome === 'already_open') {
      const { id } = opened.case
      return refused('invalid_state', `The payout already has an open ${kind}, case ${id}.`, { case_id: id })
    }
    const start = starts.payoutCase(opened.case, { queuePrefix: ops.taskQueuePrefix })
    await tryTemporal(ops, (client, { startWorkflow }) => startWorkflow(client, start))
    return done(presentCase(opened.case, []), `Opened the case ${opened.case.id}, due ${dueAt.toISOString()}.`)
  },
})

const list = defineCommand('case list', {
  about: `Shows unresolved recalls and traces; at most ${shownAtOnce}, earliest due date first.`,
  async run({ db }) {
    const rows = await listOpenCases(db, shownAtOnce)
    const data = rows.map((row) => ({ partner: row.slug, environment: row.environment, ...presentCase(row, []) }))
    if (rows.length === 0) return done({ object: 'list', data }, 'No case is open.')
    const header = ['ID', 'DUE', 'STATUS', 'KIND', 'PARTNER', 'ENVIRONMENT', 'PAYOUT', 'PAYOUT STATUS']
    const lines = rows.map((row) => [
      row.id,
      row.dueAt.toISOString(),
      caseStatusOf(row),
      row.kind,
      row.slug,
      row.environment,
      row.payoutId,
      row.payoutStatus,
    ])
    return done({ object: 'list', data }, table(header, lines))
  },
})

const show = defineCommand('case show', {
  about: "Shows a recall or trace with its notes and the bank's reference.",
  options: { case: theCase },
  example: ['--case', exampleId],
  async run(ops, given) {
    const row = await findCase(ops.db, given.case)
    return row === null ? unknownCase(given.case) : tell(ops, row)
  },
})

const addNote = defineCommand('case note', {
  about: 'Adds a permanent note to a recall or trace. The partner sees it.',
  options: { case: theCase, note: required(note, 'Your findings, without account numbers; the partner sees them.') },
  example: ['--case', exampleId, '--note', 'Phoned the recipient’s bank'],
  async run(ops, given) {
    const noted = await ops.db.transaction(async (tx) => {
      const row = await lockCase(tx, given.case)
      if (row === null) return null
      const at = ops.clock.now()
      await addCaseNote(tx, { caseId: row.id, at, madeBy: ops.madeBy, note: given.note })
      const { partnerId, environment, kind, payoutId } = row
      await recordChange(ops, tx, {
        partnerId,
        at,
        environment,
        action: 'case.note',
        detail: `${kind} of ${payoutId}`,
      })
      return row
    })
    return noted === null ? unknownCase(given.case) : tell(ops, noted)
  },
})

const resolve = defineCommand('case resolve', {
  about:
    'Resolves a recall or trace, charges its cost by the price list (in live), and emails the admins. It moves no money: returned money is booked when the bank reports it.',
  options: {
    case: theCase,
    outcome: required(oneOf(caseOutcomes), 'The outcome.'),
    cost: required(price, "The bank's charge to us, without the cost of the return itself; 0.00 if there is none."),
    note: optional(note, 'Your findings, without account numbers; the partner sees them.'),
  },
  example: ['--case', exampleId, '--outcome', 'refused', '--cost', '12.50', '--note', 'The recipient did not agree'],
  async run(ops, given) {
    const { outcome, cost } = given
    const costMicropounds = micropoundsFromPence(cost)
    const end = { caseId: given.case, outcome, costMicropounds, note: given.note ?? null, by: ops.madeBy }
    const resolved = await resolveCase(ops, end)
    if (resolved.outcome !== 'resolved') return notResolved(given.case, resolved)
    await tryTemporal(ops, (client, { signalCaseResolved }) => signalCaseResolved(client, given.case))
    const { kind, chargeMicropounds, slug } = resolved.case
    const charged = formatPence(penceFromMicropounds(chargeMicropounds ?? 0n))
    const notes = await listCaseNotes(ops.db, [given.case])
    return done(presentCase(resolved.case, notes), `The ${kind} is ${outcome}; ${slug} is charged ${charged} GBP.`)
  },
})

export const commands: readonly Command[] = [open, list, show, addNote, resolve]

function unknownCase(id: string): Refusal {
  return refused('not_found', `There is no case ${id}.`)
}

function notResolved(id: string, resolved: Exclude<ResolvedCase, { outcome: 'resolved' }>): Refusal {
  if (resolved.outcome === 'not_found') return unknownCase(id)
  const { kind, outcome } = resolved.case
  if (resolved.outcome === 'wrong_outcome') return refused('invalid_request', `A ${kind} cannot have this outcome.`)
  return refused('invalid_state', `The ${kind} is already ${outcome}: nothing was charged.`, { status: 'resolved' })
}

/** Includes the reference that operators quote to the bank. */
async function tell({ db }: Ops, row: CaseRow): Promise<Answer> {
  const told = presentCase(row, await listCaseNotes(db, [row.id]))
  const bankReference = (await findPayoutStory(db, row.payoutId))?.payout.transferRef ?? null
  const about = { partner: row.slug, environment: row.environment, bank_reference: bankReference }
  const { notes, ...shown } = told
  const lines = notes.map(({ at, by, note: said }) => [at, by, said])
  const text = [fields({ ...about, ...shown }), table(['AT', 'BY', 'NOTE'], lines)].join('\n\n')
  return done({ ...about, ...told }, text)
}
