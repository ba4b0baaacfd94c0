// /v1/payouts/{id}/notes: notes that people write on a payout for their team. They are append-only.
import { type Static, Type } from 'typebox'
import { addPayoutNote, listPayoutNotes, type PayoutNote } from '../../db/payouts/cases/notes'
import type { PayoutRow } from '../../db/payouts/payouts'
import { idempotencyKeyPattern, noteMaxLength, notesPerPayout } from '../../domain/limits'
import { recordChange } from '../controls/record-change'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { listShape, presentList } from '../http/list'
import { bodyOf } from '../http/requests/read-request'
import { type ApiRequest, get, personOf, post, type Reply } from '../http/route'
import { Body, Component, Constant, DateTime, Lines, Nullable, Pattern, Strict, Uuid } from '../http/schema'
import { idempotent } from '../http/steps'
import { payoutChecks, requirePayout } from './lookups'

const Note = Component('PayoutNote', {
  object: Constant('payout_note'),
  id: Uuid(),
  at: DateTime(),
  by: Type.String({ description: 'The email of the author.' }),
  text: Nullable(Type.String({ description: 'Null if the service cannot decrypt the text.' })),
})

const exampleNote = {
  object: 'payout_note',
  id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a5c',
  at: '2026-11-16T10:00:00.000Z',
  by: 'ada@acme.example.com',
  text: 'The supplier confirmed the new account by phone.',
} satisfies Static<typeof Note>

const NewNote = Body('NewPayoutNote', {
  text: Lines({ minLength: 1, maxLength: noteMaxLength, description: 'Plain text.' }),
})

const KeyHeader = Strict({
  'Idempotency-Key': Pattern(idempotencyKeyPattern, {
    description: 'One key per note. Send the same key when you retry, so that the note is added once.',
    example: 'note-1001',
  }),
})

const [authentication, rateLimit, authorization, validation] = payoutChecks(
  'payout.add_note',
  { by: 'person', partner: 'active' },
  { body: NewNote },
)

export const createNoteRoute = post('/v1/payouts/:id/notes', 'createPayoutNote', {
  steps: [authentication, rateLimit, authorization, idempotent, validation, createNote],
  summary: 'Add a note to a payout',
  description:
    'Used by the dashboard: needs a signed-in admin, and refuses API keys. A note cannot be edited. It is stored encrypted, and erased ' +
    `together with the recipient’s bank details. A payout has at most ${notesPerPayout} notes.`,
  headers: KeyHeader,
  bodyExample: { text: exampleNote.text },
  reply: { status: 201, description: 'The note.', schema: Note, example: exampleNote },
  replay: {
    status: 200,
    description: 'You have used this key on this payout before. Returns its note; nothing is added.',
    schema: Note,
    example: exampleNote,
    headers: { 'Idempotent-Replayed': 'Always `true`.' },
  },
  errors: ['not_found', 'invalid_state', 'idempotency_key_reused'],
})

async function createNote(request: ApiRequest<PayoutRow | null>, deps: ApiDeps): Promise<Reply> {
  const { id: payoutId, environment } = requirePayout(request)
  const text = requireVisible(bodyOf<typeof NewNote>(request).text)
  const key = request.header('Idempotency-Key')
  const { email: by, partner } = personOf(request)
  // The caller check locks the partner, so that a retry finds the first note, and two concurrent notes cannot exceed
  // the limit.
  const { outcome, note } = await deps.db.transaction(async (tx) => {
    const wanted = { payoutId, at: deps.clock.now(), madeBy: by, text, key }
    const added = await addPayoutNote(tx, deps.keyring, wanted, notesPerPayout)
    if (added.outcome === 'too_many') throw tooManyNotes()
    if (added.outcome === 'key_used') return added
    // The activity entry omits the text, which may contain personal data, because entries for changes are never erased.
    const change = { partnerId: partner.id, by, action: 'payout.add_note', environment, detail: payoutId }
    await recordChange(tx, { ...change, status: 201 }, request, deps)
    return added
  })
  if (outcome === 'key_used') return repeat(note, text)
  return { status: 201, body: presentNote(note), location: `/v1/payouts/${payoutId}/notes`, activity: 'written' }
}

/** A stored text that cannot be decrypted cannot be compared. Its note exists, so the request counts as a retry. */
function repeat(note: PayoutNote, text: string): Reply {
  if (note.text !== null && note.text !== text) {
    const details = { payout_id: note.payoutId, differing_fields: ['text'] }
    throw new ApiError('idempotency_key_reused', { message: 'This Idempotency-Key belongs to another note.', details })
  }
  return { status: 200, body: presentNote(note), headers: { 'Idempotent-Replayed': 'true' } }
}

function requireVisible(text: string): string {
  const trimmed = text.trim()
  if (trimmed !== '') return trimmed
  throw new ApiError('invalid_request', { details: { errors: ['text (1 or more visible characters)'] } })
}

function tooManyNotes(): ApiError {
  const message = `A payout has at most ${notesPerPayout} notes.`
  return new ApiError('invalid_state', { message, details: { status: 'too_many_notes' } })
}

export const listNotesRoute = get('/v1/payouts/:id/notes', 'listPayoutNotes', {
  steps: [...payoutChecks('payout.notes', { by: 'person', partner: 'any' }), listNotes],
  summary: 'List the notes on a payout',
  description: 'Used by the dashboard: needs a signed-in person, and refuses API keys.',
  reply: listShape('The notes, oldest first.', Note, [exampleNote]),
  errors: ['not_found'],
})

async function listNotes(request: ApiRequest<PayoutRow | null>, { db, keyring, log }: ApiDeps): Promise<Reply> {
  const { id: payoutId } = requirePayout(request)
  const notes = await listPayoutNotes(db, keyring, payoutId)
  for (const { id, text } of notes) {
    if (text === null) log.warn({ payout_id: payoutId, note_id: id }, 'cannot decrypt note with our secret keys')
  }
  return { body: presentList(notes.map(presentNote)) }
}

function presentNote({ id, at, madeBy, text }: PayoutNote): unknown {
  return { object: 'payout_note', id, at: at.toISOString(), by: madeBy, text }
}
