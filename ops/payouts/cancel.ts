// Cancels a payout in the same way as its partner would: the workflow decides, and a payout that was sent cannot be
// cancelled.
import type { Client } from '@temporalio/client'
import { recordPayoutEvent } from '../../db/payouts/events'
import { findOpenPayout, type OpenPayout } from '../../db/payouts/open'
import { findPayoutStory, type StoryPayout } from '../../db/payouts/story'
import { createLog } from '../../runtime/log'
import type { Workflows } from '../../runtime/temporal/workflows'
import { type Command, defineCommand, done, type Refusal, refused, unknownPayout } from '../command'
import { type Ops, recordChange } from '../connect'
import { OperatorError } from '../errors'
import { onePayout } from '../options'
import { withTemporal } from '../reach-temporal'

const cancel = defineCommand('payout cancel', {
  about:
    'Cancels a payout that was not sent to the bank yet, by the same rules as for its partner. Returns its money to the wallet.',
  ...onePayout,
  async run(ops, { payout: payoutId }) {
    const open = await findOpenPayout(ops.db, payoutId)
    const before = await findPayoutStory(ops.db, payoutId)
    if (before === null) return unknownPayout(payoutId)
    if (open === null || !isUnsent(before.payout)) return tooLate(before.payout)
    const outcome = await withTemporal(ops, (temporal, { createWorkflows }) =>
      // No log is needed, because the command's output reports everything.
      ask(
        ops,
        temporal,
        createWorkflows({ temporal, config: ops, log: createLog({ level: 'silent', name: 'ops' }) }),
        open,
      ),
    )
    const { payout } = (await findPayoutStory(ops.db, payoutId)) ?? before
    const { status } = payout
    if (status === 'cancelled') {
      return done({ id: payoutId, status }, 'The payout is cancelled; its money is back in the wallet.')
    }
    if (outcome === 'undecided' && isUnsent(payout)) throw new OperatorError(undecided)
    return tooLate(payout)
  },
})

export const commands: readonly Command[] = [cancel]

const undecided =
  'The cancellation is not decided yet: check that Temporal and a worker are running, then repeat the command.'

function isUnsent({ status, submitStartedAt }: StoryPayout): boolean {
  return status === 'pending' && submitStartedAt === null
}

/** Records the operator first, because a cancel may still succeed after its response is lost. */
async function ask(
  ops: Ops,
  temporal: Client,
  workflows: Pick<Workflows, 'cancelPayout'>,
  open: OpenPayout,
): Promise<'decided' | 'undecided'> {
  const { payoutId, partnerId, environment } = open
  const { namespace } = temporal.options
  // If this throws, no cancel was requested, and withTemporal reports the reason.
  await temporal.workflowService.describeNamespace({ namespace })
  const at = ops.clock.now()
  await ops.db.transaction(async (tx) => {
    await recordPayoutEvent(tx, { payoutId, at, kind: 'cancel_asked', madeBy: ops.madeBy, detail: null })
    await recordChange(ops, tx, { partnerId, environment, at, action: 'payout.cancel', detail: payoutId })
  })
  return workflows.cancelPayout(open)
}

function tooLate({ id, status, releasedAt }: StoryPayout): Refusal {
  if (releasedAt !== null)
    return refused('invalid_state', `The payout ${id} was refused, so there is nothing to cancel.`)
  if (status === 'cancelled') return refused('invalid_state', `The payout ${id} is already cancelled.`, { status })
  const why = status === 'pending' ? 'the bank may already have it' : `it is ${status}`
  return refused('invalid_state', `It is too late to cancel the payout ${id}: ${why}.`, { status })
}
