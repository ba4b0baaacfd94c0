// For commands about one partner: the option --partner, and the refusal of an unknown partner.
import type { Tx } from '../../db/database'
import { findPartnerBySlug, lockPartnerBySlug, type PartnerRow } from '../../db/partners/partners'
import { type Answer, type Refusal, refused } from '../command'
import type { Ops } from '../connect'
import { optional, required, slug } from '../options'

export const thePartner = required(slug, 'The partner.')
/** For a command whose only option is a partner. */
export const onePartner = { options: { partner: thePartner }, example: ['--partner', 'acme'] }
export const onlyPartner = optional(slug, 'Only this partner.')

/** Wraps the `run` of a command that has the option --partner. */
export function withPartner<Options extends { readonly partner: string }>(
  run: (ops: Ops, partner: PartnerRow, given: Options) => Promise<Answer>,
) {
  return async (ops: Ops, given: Options): Promise<Answer> => {
    const partner = await findPartnerBySlug(ops.db, given.partner)
    return partner === null ? unknownPartner(given.partner) : run(ops, partner, given)
  }
}

/** Runs the change in one transaction that locks the partner first. */
export function withLockedPartner(
  { db }: Ops,
  slug: string,
  change: (tx: Tx, partner: PartnerRow) => Promise<Answer>,
): Promise<Answer> {
  return db.transaction(async (tx) => {
    const partner = await lockPartnerBySlug(tx, slug)
    return partner === null ? unknownPartner(slug) : change(tx, partner)
  })
}

export function unknownPartner(slug: string): Refusal {
  return refused('not_found', `There is no partner ${slug}.`)
}
