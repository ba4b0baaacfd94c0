// /v1/payouts/{id}/cases: opens and lists a payout's recalls and traces, which operators handle with the bank.
import { type Static, Type } from 'typebox'
import { recordActivity } from '../../../db/controls/activity'
import {
  type CaseNote,
  type CaseRow,
  listCaseNotes,
  listCasesOf,
  type OpenedCase,
  openCase,
} from '../../../db/payouts/cases/cases'
import type { PayoutRow } from '../../../db/payouts/payouts'
import { nameOf, withoutOperators } from '../../../db/sign-in/callers'
import { type CaseKind, caseKinds, caseOutcomes, caseStatuses, caseStatusOf } from '../../../domain/payouts/case'
import type { ApiDeps } from '../../deps'
import { ApiError } from '../../http/errors'
import { listShape, presentList } from '../../http/list'
import { bodyOf } from '../../http/requests/read-request'
import { type ApiRequest, get, post, type Reply } from '../../http/route'
import {
  Answer,
  Body,
  Component,
  Constant,
  DateTime,
  Lines,
  MoneyString,
  Nullable,
  OneOf,
  Uuid,
} from '../../http/schema'
import { payoutChecks, requirePayout } from '../lookups'
import { presentCase } from '../present'

const Case = Component('Case', {
  object: Constant('case'),
  id: Uuid(),
  payout_id: Uuid(),
  kind: OneOf(caseKinds, {
    description: 'recall: we ask for the money back. trace: we ask the bank where the money is.',
  }),
  status: OneOf(caseStatuses, { description: 'overdue: not resolved by due_at.' }),
  reason: Type.String(),
  opened_by: Type.String({ description: 'key:<prefix>, an email, or `service` (us).' }),
  opened_at: DateTime(),
  due_at: DateTime({ description: 'When the case must be resolved.' }),
  resolved_at: Nullable(DateTime()),
  outcome: Nullable(
    OneOf(caseOutcomes, {
      description:
        '`returned`: the bank will send the money back. The status of the payout changes to `returned` once it has.',
    }),
  ),
  charge_gbp: Nullable(MoneyString({ description: 'The charge, once the case is resolved: cost plus 20%.' })),
  notes: Type.Array(Answer({ at: DateTime(), by: Type.String(), note: Type.String() })),
})

const NewCase = Body('NewCase', {
  kind: OneOf(caseKinds),
  reason: Lines({
    minLength: 1,
    maxLength: 500,
    description: 'Information for our operators, who contact the bank.',
  }),
})

const exampleCase: Static<typeof Case> = {
  object: 'case',
  id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a59',
  payout_id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56',
  kind: 'recall',
  status: 'open',
  reason: 'Paid to the wrong supplier.',
  opened_by: 'key:kp_live_4f9a1c02',
  opened_at: '2026-11-16T09:00:00.000Z',
  due_at: '2026-11-26T09:00:00.000Z',
  resolved_at: null,
  outcome: null,
  charge_gbp: null,
  notes: [],
}

export const createCaseRoute = post('/v1/payouts/:id/cases', 'createCase', {
  steps: [...payoutChecks('case.open', { by: 'key', partner: 'active' }, { body: NewCase }), createCase],
  summary: 'Open a recall or trace',
  description:
    'A completed payout can be recalled. A payout that is processing or completed can be traced. Only one case of each kind can be ' +
    'open at a time. A recall needs the recipient’s consent, so it may be refused. A case is charged when it is resolved, at cost plus 20%.',
  bodyExample: { kind: 'recall', reason: 'Paid to the wrong supplier.' },
  reply: { status: 201, description: 'The case.', schema: Case, example: exampleCase },
  errors: ['not_found', 'invalid_state'],
})

async function createCase(request: ApiRequest<PayoutRow | null>, deps: ApiDeps): Promise<Reply> {
  const payout = requirePayout(request)
  const { kind, reason } = bodyOf<typeof NewCase>(request)
  const opened = requireOpened(await open(payout.id, { kind, reason }, request, deps), kind)
  await deps.workflows.startCase(opened)
  return {
    status: 201,
    body: presentToPartner(opened, []),
    location: `/v1/payouts/${payout.id}/cases`,
    activity: 'written',
  }
}

async function open(
  payoutId: string,
  { kind, reason }: { kind: CaseKind; reason: string },
  { caller, requestId }: ApiRequest,
  { db, clock, config }: ApiDeps,
): Promise<OpenedCase> {
  const openedAt = clock.now()
  const dueAt = new Date(openedAt.getTime() + config.caseDueMs[kind])
  const openedBy = nameOf(caller)
  return db.transaction(async (tx) => {
    const result = await openCase(tx, { payoutId, kind, reason, openedBy, openedAt, dueAt })
    if (result.outcome !== 'opened') return result
    const { partner, environment } = caller
    const entry = { partnerId: partner.id, at: openedAt, environment, action: 'case.open', madeBy: openedBy, requestId }
    await recordActivity(tx, [{ ...entry, changes: 'something', status: 201, detail: `${kind} of ${payoutId}` }])
    return result
  })
}

function requireOpened(opened: OpenedCase, kind: CaseKind): CaseRow {
  switch (opened.outcome) {
    case 'opened':
      return opened.case
    case 'not_found':
      throw new ApiError('not_found')
    case 'wrong_status':
      throw new ApiError('invalid_state', { details: { status: opened.status } })
    case 'already_open': {
      const details = { status: caseStatusOf(opened.case), case_id: opened.case.id }
      throw new ApiError('invalid_state', { message: `This payout has an open ${kind}.`, details })
    }
  }
}

export const listCasesRoute = get('/v1/payouts/:id/cases', 'listCases', {
  steps: [...payoutChecks('case.list', { by: 'key', partner: 'any' }), listCases],
  summary: 'List recalls and traces of a payout',
  description: 'Oldest first, with the current status and outcome of each case.',
  reply: listShape('The cases.', Case, [exampleCase]),
  errors: ['not_found'],
})

async function listCases(request: ApiRequest<PayoutRow | null>, { db }: ApiDeps): Promise<Reply> {
  const rows = await listCasesOf(db, requirePayout(request).id)
  const ids = rows.map(({ id }) => id)
  const notes = ids.length === 0 ? [] : await listCaseNotes(db, ids)
  const notesOf = (id: string) => notes.filter(({ caseId }) => caseId === id)
  return { body: presentList(rows.map((row) => presentToPartner(row, notesOf(row.id)))) }
}

function presentToPartner(row: CaseRow, notes: readonly CaseNote[]): unknown {
  const openedBy = withoutOperators(row.openedBy)
  return presentCase(
    { ...row, openedBy },
    notes.map((note) => ({ ...note, madeBy: withoutOperators(note.madeBy) })),
  )
}
