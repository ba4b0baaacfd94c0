// Opens one partner for each sign-up, under a lock on the emailed code.
import { randomBytes } from 'node:crypto'
import { ApplicationFailure } from '@temporalio/common'
import type { Tx } from '../../db/database'
import { countPartnersOpenedBy, membershipsOf } from '../../db/partners/members'
import { openPartnerIn } from '../../db/partners/open'
import { closeSignUp, openSignUp } from '../../db/sign-in/codes'
import { signUpsPerEmail } from '../../domain/sign-in'
import type { SignUp } from '../../workflows/partners/sign-up'
import type { ActivityDeps } from '../bind'

export async function openSignedUp(
  { db, clock, keyring }: Pick<ActivityDeps, 'db' | 'clock' | 'keyring'>,
  { codeId }: SignUp,
): Promise<string> {
  return db.transaction(async (tx) => {
    const known = await openSignUp(tx, keyring, codeId)
    if (known === null) throw ApplicationFailure.nonRetryable('There is no such sign-up.', 'SignUpUnknown')
    if (known.usedFor !== null) return known.usedFor
    const name = known.said?.['businessName']
    if (name === undefined) throw ApplicationFailure.nonRetryable('The sign-up has no business name.', 'SignUpEmpty')
    const partnerId =
      (await partnerOfManyOpened(tx, { email: known.email, at: clock.now() })) ??
      (await openWithFreeSlug(tx, { name, email: known.email, at: clock.now() }))
    await closeSignUp(tx, codeId, partnerId)
    return partnerId
  })
}

/** If the email address has opened its maximum number of partners, returns the partner that its owner last used. */
async function partnerOfManyOpened(
  tx: Tx,
  { email, at }: { readonly email: string; readonly at: Date },
): Promise<string | null> {
  if ((await countPartnersOpenedBy(tx, email)) < signUpsPerEmail) return null
  const [last] = await membershipsOf(tx, email, at)
  return last?.partnerId ?? null
}

async function openWithFreeSlug(
  tx: Tx,
  { name, email, at }: { name: string; email: string; at: Date },
): Promise<string> {
  for (let slug = slugOf(name); ; slug = `${slugOf(name).slice(0, 33)}-${randomBytes(3).toString('hex')}`) {
    const opened = await openPartnerIn(tx, { name, slug, email, createdBy: email, at })
    if (opened.outcome === 'opened') return opened.partner.id
  }
}

/** The name's letters and digits, with hyphens between words. A generic word if fewer than two characters remain. */
export function slugOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const slug = plain
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40)
    .replace(/-+$/, '')
  return slug.length < 2 ? 'business' : slug
}
