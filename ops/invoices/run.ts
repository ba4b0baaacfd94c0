// `invoices run` and `rerun` start the workflow that the Schedule starts on the 1st, and show its progress for each
// partner.
import { findPartnerById, findPartnerBySlug } from '../../db/partners/partners'
import { isOver, type Month, monthInWords } from '../../domain/month'
import type * as reaching from '../../runtime/temporal/client'
import { type Answer, type Command, defineCommand, done, type ParsedOptions, refused } from '../command'
import type { Ops } from '../connect'
import { OperatorError } from '../errors'
import { month, required } from '../options'
import { onlyPartner, unknownPartner } from '../partners/by-slug'
import type * as following from './follow-run'

const options = {
  period: required(month, 'The month; it must be over.'),
  partner: onlyPartner,
}
const example = ['--period', '2026-10', '--partner', 'acme']

const run = defineCommand('invoices run', {
  about: 'Bills a past month for every partner without an invoice for it. Two concurrent calls share one run.',
  options,
  example,
  run: bill,
})

const rerun = defineCommand('invoices rerun', {
  about:
    'Bills a past month again, for example after a correction. Existing invoices do not change, and late charges appear on the next invoice.',
  options,
  example,
  run: bill,
})

export const commands: readonly Command[] = [run, rerun]

async function bill(ops: Ops, { period, partner: wanted }: ParsedOptions<typeof options>): Promise<Answer> {
  if (!isOver(period, ops.clock.now())) {
    return refused(
      'invalid_state',
      `${monthInWords(period)} is not over yet: it can be billed from the 1st of the next month.`,
    )
  }
  const partner = wanted === undefined ? null : await findPartnerBySlug(ops.db, wanted)
  if (wanted !== undefined && partner === null) return unknownPartner(wanted)
  const result = await follow(ops, { period, partner: wanted ?? null })
  if (typeof result === 'string') return refused('invalid_state', result)

  const failed = await slugsOf(ops, result.failedPartners)
  const { issued, already, nothing, elsewhere } = result
  const sums = { issued, already, nothing, elsewhere, failed: result.failed }
  if (result.failed > 0) {
    const sentence = `${result.failed === 1 ? '1 partner' : `${result.failed} partners`} could not be billed for ${monthInWords(period)}: ${failed.join(', ')}; see the worker's log, then run \`invoices rerun\`.`
    return refused('invalid_state', sentence, textsOf(sums))
  }
  return done({ object: 'invoice_run', period, ...sums }, outcomeOf(period, sums))
}

function outcomeOf(period: Month, { issued, already, nothing, elsewhere }: RunCounts): string {
  const month = monthInWords(period)
  const parts = [
    ...(already > 0 ? [`${already} already had one`] : []),
    ...(nothing > 0 ? [`${nothing} had nothing to bill`] : []),
    ...(elsewhere > 0 ? [`${elsewhere} ${elsewhere === 1 ? 'is' : 'are'} being billed by another run`] : []),
  ]
  const rest = parts.length > 0 ? `; ${parts.join(', ')}` : ''
  if (issued === 0) return `${month}: no invoice was issued${rest}.`
  return `${month}: ${issued} ${issued === 1 ? 'invoice was' : 'invoices were'} issued${rest}.`
}

interface RunCounts {
  readonly issued: number
  readonly already: number
  readonly nothing: number
  readonly elsewhere: number
}

type Followed = Awaited<ReturnType<typeof following.followRun>>

/** The result, or why the run was refused, as a sentence. */
async function follow(ops: Ops, order: { period: Month; partner: string | null }): Promise<Followed | string> {
  if (ops.temporal === null) throw new OperatorError('Also set TEMPORAL_ADDRESS: an invoice run needs Temporal.')
  // Temporal's client is loaded only when needed, because loading it takes longer than most commands.
  const { connectClient }: typeof reaching = require('../../runtime/temporal/client')
  const { followRun, refusalOf, isUnreachable }: typeof following = require('./follow-run')
  const client = connectClient(ops.temporal)
  try {
    return await followRun({ temporal: client, queuePrefix: ops.taskQueuePrefix, ...progressOf(ops) }, order)
  } catch (error) {
    const refusal = refusalOf(error)
    if (refusal !== null) return refusal
    if (isUnreachable(error))
      throw new OperatorError('Temporal does not answer: check that it is running, then repeat the command.')
    throw error
  } finally {
    await client.connection.close()
  }
}

function progressOf(ops: Ops): Pick<following.FollowParts, 'onBilled' | 'onSilence'> {
  let count = 0
  let silent = false
  return {
    async onBilled({ partnerId, outcome, number, totalGbp }) {
      count += 1
      const [name = partnerId] = await slugsOf(ops, [partnerId])
      const amount = totalGbp === null ? '' : ` ${number}, ${totalGbp} GBP`
      ops.say(`${String(count).padStart(5)}  ${name}: ${words[outcome]}${amount}`)
    },
    onSilence() {
      if (!silent)
        ops.say('No progress yet: the run waits for a worker. It continues automatically once one is running.')
      silent = true
    },
  }
}

const words = {
  issued: 'issued',
  already: 'already has',
  nothing: 'nothing to bill',
  failed: 'failed',
  elsewhere: 'being billed by another run',
} as const

function textsOf(sums: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(sums).map(([name, count]) => [name, String(count)]))
}

async function slugsOf({ db }: Ops, partnerIds: readonly string[]): Promise<string[]> {
  const partners = await Promise.all(partnerIds.map((id) => findPartnerById(db, id)))
  return partners.map((partner, index) => partner?.slug ?? partnerIds[index] ?? '')
}
