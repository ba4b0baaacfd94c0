// Erases the bank details of one payout: what is left of it is what lists, ledger, invoices and the audit chain need.

import { shredRecipient } from '../../db/controls/retention'
import { tellPayout } from '../../db/payouts/events'
import { findPayoutStory } from '../../db/payouts/story'
import { type Command, defineCommand, done, refused } from '../command'
import { recordChange } from '../controls/record-change'
import { required, uuid } from '../options'

const shred = defineCommand({
  noun: 'payout',
  verb: 'shred',
  about: 'Erases the sealed bank details of a payout that is over, for good; its key still replays.',
  options: { payout: required(uuid, 'Which payout.') },
  example: ['--payout', '019aa3d0-7e1c-7c4b-9f0e-3a52d1c8e6b4'],
  async run(ops, { payout }) {
    const { db, clock, madeBy } = ops
    const keyring = ops.keyring()
    const shredded = await db.transaction(async (tx) => {
      const row = await shredRecipient(tx, keyring, payout)
      const at = clock.now()
      if (row === null) return null
      const { partnerId, environment } = row
      await tellPayout(tx, { payoutId: payout, at, kind: 'shredded', madeBy, detail: null })
      await recordChange(ops, tx, { partnerId, environment, at, action: 'payout.shred', detail: payout })
      return row
    })
    if (shredded !== null) return done({ id: payout, shredded: true }, `The bank details of ${payout} are erased.`)
    const story = await findPayoutStory(db, payout)
    if (story === null) return refused('not_found', `There is no payout ${payout}.`)
    const { status, closedAt } = story.payout
    if (closedAt === null && story.payout.releasedAt === null) {
      return refused('invalid_state', `The payout ${payout} is not over: it may still need its bank details.`, {
        status,
      })
    }
    return done({ id: payout, shredded: false }, `The bank details of ${payout} were erased before.`)
  },
})

export const shredCommands: readonly Command[] = [shred]
