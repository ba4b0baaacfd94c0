// Notes that users write about a payout. They are append-only. The text may contain personal data, so it is sealed, and
// erased together with the payout's bank details.
import { createHash } from 'node:crypto'
import { bytes, entity, id, idOf, text, time } from '../../columns'
import type { Db, Queryable, Tx } from '../../database'
import { newId, randomPartOf } from '../../id'
import type { Keyring } from '../../keyring'
import { openText, type Sealed, sealText } from '../../seal'

interface StoredPayoutNote extends Sealed {
  readonly id: string
  readonly payoutId: string
  readonly at: Date
  readonly madeBy: string
}

export const payoutNote = entity<StoredPayoutNote>('PayoutNote', 'payout_notes', {
  id,
  payoutId: idOf('Payout'),
  at: time,
  madeBy: text,
  keyId: text,
  sealed: bytes,
})

export interface PayoutNote extends Omit<StoredPayoutNote, keyof Sealed> {
  /** Null if the text cannot be decrypted. */
  readonly text: string | null
}

interface NewPayoutNote extends Omit<PayoutNote, 'id'> {
  readonly text: string
  /** The author's Idempotency-Key, unique per author and payout. */
  readonly key: string
}

type AddedPayoutNote =
  | { readonly outcome: 'added'; readonly note: PayoutNote }
  /** The author has already used the key on this payout, for this note. */
  | { readonly outcome: 'key_used'; readonly note: PayoutNote }
  | { readonly outcome: 'too_many' }

/** The caller must serialize the calls for a payout, so that a retry finds the first note and the count is correct. */
export async function addPayoutNote(
  tx: Tx,
  keyring: Keyring,
  { key, ...note }: NewPayoutNote,
  atMost: number,
): Promise<AddedPayoutNote> {
  const { text: written, ...row } = note
  // The random part of the ID is a hash of the key, so that a retry finds its note. Retention needs the time in front.
  const noteId = newId(row.at, createHash('sha256').update(`${row.payoutId}|${row.madeBy}|${key}`).digest())
  const notes = await tx.repo(payoutNote).findBy({ payoutId: row.payoutId })
  const earlier = notes.find((each) => randomPartOf(each.id) === randomPartOf(noteId))
  if (earlier !== undefined) return { outcome: 'key_used', note: openNote(keyring, earlier) }
  if (notes.length >= atMost) return { outcome: 'too_many' }
  await tx.repo(payoutNote).insert({ id: noteId, ...row, ...sealText(keyring, 'seal', noteId, written) })
  return { outcome: 'added', note: { id: noteId, ...note } }
}

/** Lists the notes oldest first. A note that cannot be decrypted must not hide the others. */
export async function listPayoutNotes(db: Queryable, keyring: Keyring, payoutId: string): Promise<PayoutNote[]> {
  const rows = await db.repo(payoutNote).find({ where: { payoutId }, order: { id: 'ASC' } })
  return rows.map((row) => openNote(keyring, row))
}

function openNote(keyring: Keyring, { keyId, sealed, ...row }: StoredPayoutNote): PayoutNote {
  return { ...row, text: openOrNull(keyring, { id: row.id, keyId, sealed }) }
}

/** Returns the number of erased notes. */
export async function erasePayoutNotes(tx: Tx, payoutId: string): Promise<number> {
  return (await tx.sql`DELETE FROM payout_notes WHERE payout_id = ${payoutId} RETURNING id`).length
}

interface ResealedNotes {
  readonly written: number
  /** The number of notes that remain under an older key, because they could not be opened. */
  readonly left: number
}

/** Reseals up to `limit` notes from older keys under the current one. Returns null when no such note is left. */
export async function resealNotes(
  db: Db,
  keyring: Keyring,
  { after, limit }: { after: string; limit: number },
): Promise<(ResealedNotes & { readonly next: string }) | null> {
  const current = keyring.current('seal').id
  const old = await db.sql<Sealed & { id: string }>`SELECT id, key_id, sealed FROM payout_notes
    WHERE id > ${after} AND key_id <> ${current} ORDER BY id LIMIT ${limit}`
  const last = old.at(-1)
  if (last === undefined) return null
  const renewed = old.flatMap((note) => {
    const opened = openOrNull(keyring, note)
    return opened === null ? [] : [{ id: note.id, was: note.sealed, now: sealText(keyring, 'seal', note.id, opened) }]
  })
  await db.transaction(async (tx) => {
    for (const { id: noteId, was, now } of renewed) {
      await tx.sql`UPDATE payout_notes SET key_id = ${now.keyId}, sealed = ${now.sealed}
        WHERE id = ${noteId} AND sealed = ${was}`
    }
  })
  return { written: renewed.length, left: old.length - renewed.length, next: last.id }
}

function openOrNull(keyring: Keyring, { id: noteId, ...sealed }: Sealed & { readonly id: string }): string | null {
  try {
    return openText(keyring, 'seal', noteId, sealed)
  } catch {
    return null
  }
}
