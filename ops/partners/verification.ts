// `partner verify` starts a business's verification for it; `partner approve` stands in for a simulated bank's own people.

import { findPartnerById, findPartnerBySlug } from '../../db/partners/partners'
import { beginVerification } from '../../db/partners/verification'
import { assert } from '../../domain/assert'
import { openingRefused } from '../../domain/partners/verification'
import { starts } from '../../workflows/starts'
import { withSimulatedBank } from '../bank/simulated'
import { type Command, defineCommand, done, refused, unknownPartner } from '../command'
import type { Ops } from '../connect'
import { recordChange } from '../controls/record-change'
import { required, slug } from '../options'
import { withTemporal } from '../reach-temporal'
import { Trouble } from '../trouble'
import { approvePartner } from './approve'
import { presentPartner } from './lifecycle'

const verify = defineCommand({
  noun: 'partner',
  verb: 'verify',
  about: "Starts a partner's business verification at the live bank for it, or again after a refusal.",
  options: { partner: required(slug, 'Which partner.') },
  example: ['--partner', 'acme'],
  async run(ops, given) {
    const partner = await findPartnerBySlug(ops.db, given.partner)
    if (partner === null) return unknownPartner(given.partner)
    if (partner.status !== 'active')
      return refused('invalid_state', `${partner.slug} is ${partner.status}, not active.`)
    if (ops.bank.live === null) return refused('invalid_state', 'There is no live bank: set BANK_LIVE_URL.')
    const begun = await ops.db.transaction(async (tx) => {
      const at = ops.clock.now()
      const result = await beginVerification(tx, partner.id, at)
      if (result.outcome === 'invalid_state') return result
      const change = { partnerId: partner.id, at, environment: 'live', action: 'verification.start' } as const
      await recordChange(ops, tx, { ...change, detail: null })
      // Before the commit: what nobody looks after has not begun.
      await wake(ops, partner.id)
      return result
    })
    if (begun.outcome === 'invalid_state') {
      const { status } = begun
      return refused('invalid_state', `${partner.slug}'s verification is ${status}: it cannot be started.`, { status })
    }
    const sentence = `${partner.slug}'s verification has begun: the dashboard shows its admins where to go on.`
    return done(presentPartner(begun.partner), sentence)
  },
})

const approve = defineCommand({
  noun: 'partner',
  verb: 'approve',
  about:
    "Verifies a partner at a simulated live bank and opens its live wallet there; it stands in for the bank's own.",
  options: { partner: required(slug, 'Which partner.') },
  example: ['--partner', 'acme'],
  async run(ops, given) {
    const partner = await findPartnerBySlug(ops.db, given.partner)
    if (partner === null) return unknownPartner(given.partner)
    if (partner.status === 'closed') return refused('invalid_state', `${partner.slug} is closed, not active.`)
    return withSimulatedBank(ops, 'live', async ({ rail, bank }) => {
      const { db, clock, madeBy } = ops
      // A simulated bank's words are all known, so there is nothing to log.
      const log = { error: () => {} }
      const standing = await approvePartner({ db, clock, rail, bank, madeBy, log, redirectUrl: null }, partner.id)
      if (standing.status === 'rejected') return refused('invalid_state', `${partner.slug}: ${openingRefused}`)
      const approved = await findPartnerById(db, partner.id)
      assert(approved !== null, 'a partner does not vanish')
      const sentence = `${partner.slug} is approved: its live wallet is at the simulated bank.`
      return done(presentPartner(approved), sentence)
    })
  },
})

export const verificationCommands: readonly Command[] = [verify, approve]

async function wake(ops: Ops, partnerId: string): Promise<void> {
  if (ops.temporal === null) throw new Trouble('TEMPORAL_ADDRESS must be set too: a verification is a workflow.')
  const settings = { queuePrefix: ops.taskQueuePrefix, pollMs: ops.verificationPollMs }
  try {
    await withTemporal(ops, (client, { startOrWake }) => startOrWake(client, starts.verification(partnerId, settings)))
  } catch {
    throw new Trouble('Temporal does not answer: see that it runs, then repeat the command.')
  }
}
