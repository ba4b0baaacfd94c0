// `partner verify` starts a business verification. `partner approve` makes the decision at a simulated bank.

import { connectLiveWallet, openLiveCustomer } from '../../activities/partners/verification/customer'
import type { VerificationDeps } from '../../activities/partners/verification/store'
import { findPartnerById } from '../../db/partners/partners'
import { beginVerification } from '../../db/partners/verification'
import { findLiveWallet } from '../../db/wallets/live'
import { assert } from '../../domain/assert'
import { openingRefused } from '../../domain/partners/verification'
import type { SimulatedBank } from '../../rail/simulated-bank'
import type { VerificationState } from '../../workflows/partners/verification'
import { starts } from '../../workflows/starts'
import { withSimulatedBank } from '../bank/simulated'
import { type Command, defineCommand, done, refused } from '../command'
import { type Ops, recordChange } from '../connect'
import { OperatorError } from '../errors'
import { withTemporal } from '../reach-temporal'
import { onePartner, withPartner } from './by-slug'
import { presentPartner } from './lifecycle'

const verify = defineCommand('partner verify', {
  about: "Starts a partner's business verification at the live bank, or starts it again after a refusal.",
  ...onePartner,
  run: withPartner(async (ops, partner) => {
    if (partner.status !== 'active')
      return refused('invalid_state', `${partner.slug} is ${partner.status}, not active.`)
    if (ops.bank.live === null) return refused('invalid_state', 'There is no live bank: set BANK_LIVE_URL.')
    const begun = await ops.db.transaction(async (tx) => {
      const at = ops.clock.now()
      const result = await beginVerification(tx, partner.id, at)
      if (result.outcome === 'invalid_state') return result
      const change = { partnerId: partner.id, at, environment: 'live', action: 'verification.start' } as const
      await recordChange(ops, tx, { ...change, detail: null })
      // Start the workflow before the commit, because verification must not be recorded without its workflow.
      await wake(ops, partner.id)
      return result
    })
    if (begun.outcome === 'invalid_state') {
      const { status } = begun
      return refused('invalid_state', `${partner.slug}'s verification is ${status}: it cannot be started.`, { status })
    }
    const sentence = `${partner.slug}'s verification has begun: its admins continue it in the dashboard.`
    return done(presentPartner(begun.partner), sentence)
  }),
})

const approve = defineCommand('partner approve', {
  about: 'Approves a partner at a simulated live bank and opens its live wallet there.',
  ...onePartner,
  run: withPartner(async (ops, partner) => {
    if (partner.status === 'closed')
      return refused('invalid_state', `${partner.slug} is closed and cannot be approved.`)
    return withSimulatedBank(ops, 'live', async ({ rail, bank }) => {
      const { db, clock, madeBy } = ops
      // A simulated bank has no unknown states, and the command reports a refusal itself.
      const log = { error: () => {} }
      const verification = await approvePartner({ db, clock, rail, bank, madeBy, log, redirectUrl: null }, partner.id)
      if (verification.status === 'rejected') return refused('invalid_state', `${partner.slug}: ${openingRefused}`)
      const approved = await findPartnerById(db, partner.id)
      assert(approved !== null, 'partners are never deleted')
      const sentence = `${partner.slug} is approved: its live wallet is at the simulated bank.`
      return done(presentPartner(approved), sentence)
    })
  }),
})

export const commands: readonly Command[] = [verify, approve]

interface ApproveDeps extends VerificationDeps {
  readonly bank: Pick<SimulatedBank, 'approveCustomer'>
}

/**
 * Runs the same steps as the verification workflow, and approves the customer at a simulated bank. A repeated or
 * concurrent call gets the same wallet.
 */
export async function approvePartner(deps: ApproveDeps, partnerId: string): Promise<VerificationState> {
  // Starts the verification as an admin would, unless it has already started.
  await deps.db.transaction((tx) => beginVerification(tx, partnerId, deps.clock.now()))
  const opened = await openLiveCustomer(deps, { partnerId })
  if (opened.status === 'rejected') return opened
  const wallet = await findLiveWallet(deps.db, partnerId)
  assert(wallet !== null && wallet.customerRef !== null, 'a simulated bank opens a customer with its link')
  await deps.bank.approveCustomer(wallet.customerRef)
  return connectLiveWallet(deps, { partnerId })
}

async function wake(ops: Ops, partnerId: string): Promise<void> {
  if (ops.temporal === null) throw new OperatorError('Also set TEMPORAL_ADDRESS: a verification needs Temporal.')
  const settings = { queuePrefix: ops.taskQueuePrefix, pollMs: ops.verificationPollMs }
  try {
    await withTemporal(ops, (client, { startOrWake }) => startOrWake(client, starts.verification(partnerId, settings)))
  } catch {
    throw new OperatorError('Temporal does not answer: check that it is running, then repeat the command.')
  }
}
