// Explains one payout: lists everything that happened to it, in order and in sentences, and the next steps.

import { listBankEventsOf } from '../../../db/bank/events'
import { railStates } from '../../../db/bank/rail-pauses'
import { listCasesOf } from '../../../db/payouts/cases/cases'
import { findPayoutStory, type PayoutStory, type StoryPayout } from '../../../db/payouts/story'
import { formatPence } from '../../../domain/money'
import { payoutReturnId, payoutWorkflowId } from '../../../workflows/names'
import { type Command, defineCommand, done, unknownPayout } from '../../command'
import type { Ops } from '../../connect'
import { OperatorError } from '../../errors'
import { withTemporal } from '../../reach-temporal'
import { namedPayout, withNamedPayout } from '../find'
import { linesFromDatabase } from './from-database'
import type * as workflows from './from-workflow'
import { nextSteps } from './next'
import { mergeLines } from './story'

const explain = defineCommand('payout explain', {
  about:
    'Shows every step, attempt, wait, ledger entry, charge and bank reference of a payout in order, and what happens next.',
  ...namedPayout,
  run: withNamedPayout(async (ops, payoutId) => {
    const read = await readAgreeing(ops, payoutId)
    if (read === null) return unknownPayout(payoutId)
    const { story, asked } = read
    const [bankEvents, cases, rails] = await Promise.all([
      listBankEventsOf(ops.db, payoutId),
      listCasesOf(ops.db, payoutId),
      railStates(ops.db),
    ])
    const { payout, failedCalls } = story
    const rail = rails.find(({ environment }) => environment === payout.environment) ?? null
    const known = linesFromDatabase({ ...story, bankEvents, cases })
    const ordered = mergeLines([...known, ...(asked?.flatMap((each) => each.lines) ?? [])])
    const next = nextSteps({ payout, failedCalls, workflow: currentWorkflow(asked), rail, cases, limits: ops.payouts })
    const steps = ordered.map(({ at, from, text }) => ({ at: at.toISOString(), from, text }))
    const heading = headingOf(payout)
    const lines = steps.map(({ at, from, text }) => `${at}  ${from.padEnd(8)}  ${text}`)
    const status = payout.releasedAt === null ? payout.status : 'refused'
    const json = { id: payoutId, status, bank_reference: payout.transferRef, steps, next }
    return done(json, [heading, '', ...lines, '', 'What happens next:', ...next.map((each) => `  ${each}`)].join('\n'))
  }),
})

export const commands: readonly Command[] = [explain]

function headingOf({
  id,
  slug,
  environment,
  amountPence,
  status,
  releasedAt,
  attempt,
  transferRef,
}: StoryPayout): string {
  const shownStatus = releasedAt === null ? status : 'refused'
  const atBank = transferRef === null ? 'no transfer is known' : `the bank's transfer is ${transferRef}`
  return `Payout ${id} of ${slug} in ${environment}, ${formatPence(amountPence)} GBP: ${shownStatus}, attempt ${attempt}; ${atBank}.`
}

interface Read {
  readonly story: PayoutStory
  readonly asked: readonly workflows.WorkflowLines[] | null
}

/**
 * If an open payout has no running workflow, reads both again, because the workflow may have ended after the row was
 * read.
 */
async function readAgreeing(ops: Ops, payoutId: string): Promise<Read | null> {
  const read = await readOnce(ops, payoutId)
  return read === null || agrees(read) ? read : readOnce(ops, payoutId)
}

async function readOnce(ops: Ops, payoutId: string): Promise<Read | null> {
  const story = await findPayoutStory(ops.db, payoutId)
  return story && { story, asked: await readWorkflows(ops, story.payout) }
}

function agrees({ story, asked }: Read): boolean {
  const isOver = story.payout.releasedAt !== null || story.payout.closedAt !== null
  return isOver || asked === null || asked.some(({ status }) => status === 'RUNNING')
}

/** The workflows of the payout and of its return. Null if the server does not answer. */
async function readWorkflows(ops: Ops, payout: StoryPayout): Promise<readonly workflows.WorkflowLines[] | null> {
  try {
    return await withTemporal(ops, async (client) => {
      // Temporal's client is loaded only when needed, because loading it takes longer than most commands.
      const { readWorkflow }: typeof workflows = require('./from-workflow')
      const ofPayout = await readWorkflow(client, payoutWorkflowId(payout))
      // Reads the workflows in sequence, so that a failed read does not close the connection during the other one.
      return [ofPayout, await readWorkflow(client, payoutReturnId(payout.id))]
    })
  } catch (error) {
    if (error instanceof OperatorError) return null
    throw error
  }
}

function currentWorkflow(asked: readonly workflows.WorkflowLines[] | null): workflows.WorkflowLines | null {
  if (asked === null) return null
  return asked.find(({ status }) => status === 'RUNNING') ?? asked[0] ?? null
}
