// Pauses and resumes sending to the bank, per environment.
import {
  type PastPause,
  pastPauses,
  pauseRail,
  type RailState,
  railStates,
  resumeRail,
} from '../../db/bank/rail-pauses'
import type { Environment } from '../../domain/environment'
import { formatPence } from '../../domain/money'
import { starts } from '../../workflows/starts'
import { type Command, defineCommand, done, refused } from '../command'
import type { Ops } from '../connect'
import { optional, reason, theEnvironment } from '../options'
import { table } from '../print'
import { withTemporal } from '../reach-temporal'

const pastShown = 10

const pause = defineCommand('rail pause', {
  about: 'Stops sending payouts to the bank: new ones are debited, answered as pending, and wait. Sent ones continue.',
  options: {
    environment: theEnvironment,
    reason: optional(reason, 'The reason, without names; `rail status` shows it.'),
  },
  example: ['--environment', 'live', '--reason', 'The bank asked us to wait'],
  async run({ db, clock, madeBy }, given) {
    const about = { environment: given.environment, by: madeBy, at: clock.now() }
    const paused = await pauseRail(db, { ...about, reason: given.reason ?? null })
    if (!paused) return refused('invalid_state', `The ${given.environment} rail is already paused.`)
    const state = await stateOf(db, given.environment)
    return done(state, `The ${given.environment} rail is paused; ${describeWaiting(state)}.`)
  },
})

const resume = defineCommand('rail resume', {
  about: 'Resumes sending payouts to the bank. Waiting payouts are sent now.',
  options: { environment: theEnvironment },
  example: ['--environment', 'live'],
  async run(ops, given) {
    const { db, clock, madeBy } = ops
    const resumed = await resumeRail(db, { environment: given.environment, by: madeBy, at: clock.now() })
    if (!resumed) return refused('invalid_state', `The ${given.environment} rail is not paused.`)
    const isWoken = await wakeUnsent(ops, [given.environment], 'The rail is open again')
    const state = await stateOf(db, given.environment)
    const when = isWoken ? 'sent now' : 'sent at the next poll, because Temporal does not answer'
    return done(
      { ...state, woken: isWoken },
      `The ${given.environment} rail is open; ${state.unsent === 1 ? '1 payout is' : `${state.unsent} payouts are`} ${when}.`,
    )
  },
})

const status = defineCommand('rail status', {
  about: `Shows the rail of each environment: open or paused, since when, by whom and why, and the payouts that wait; also the last ${pastShown} pauses.`,
  async run({ db }) {
    const data = (await railStates(db)).map(presentState)
    const header = [
      'ENVIRONMENT',
      'STATE',
      'SINCE',
      'BY',
      'REASON',
      'UNSENT',
      'UNSENT GBP',
      'UNCONFIRMED',
      'UNCONFIRMED GBP',
    ]
    const rows = data.map((each) => [
      each.environment,
      each.state,
      each.since,
      each.by,
      each.reason,
      String(each.unsent),
      each.unsent_gbp,
      String(each.unconfirmed),
      each.unconfirmed_gbp,
    ])
    const past = (await pastPauses(db, pastShown)).map(presentPast)
    const pastRows = past.map((each) => Object.values(each))
    const over = past.length === 0 ? [] : ['Past pauses:', table(pastHeader, pastRows)]
    return done({ object: 'list', data, past }, [table(header, rows), ...over].join('\n'))
  },
})

export const commands: readonly Command[] = [pause, resume, status]

/**
 * Returns false if Temporal does not answer. Each unsent payout then notices the change within minutes, at its next
 * poll.
 */
export async function wakeUnsent(ops: Ops, wanted: readonly Environment[], why: string): Promise<boolean> {
  const by = ops.madeBy.replace(/^ops:/, '')
  const queue = { queuePrefix: ops.taskQueuePrefix }
  return withTemporal(ops, (client, { startWorkflow }) =>
    Promise.all(wanted.map((environment) => startWorkflow(client, starts.railSwitch({ environment, by, why }, queue)))),
  ).then(
    () => true,
    () => false,
  )
}

type Presented = ReturnType<typeof presentState>

async function stateOf(db: Ops['db'], wanted: string): Promise<Presented> {
  const states = (await railStates(db)).map(presentState)
  const state = states.find((each) => each.environment === wanted)
  if (state === undefined) throw new Error('every environment has a rail')
  return state
}

function describeWaiting({ unsent, unsent_gbp, unconfirmed }: Presented): string {
  const waiting =
    unsent === 1 ? `1 payout (${unsent_gbp} GBP) is waiting` : `${unsent} payouts (${unsent_gbp} GBP) are waiting`
  const before = unconfirmed === 1 ? '1 unconfirmed payout is' : `${unconfirmed} unconfirmed payouts are`
  return `${waiting}, and ${before} looked up at the bank`
}

const pastHeader = ['ENVIRONMENT', 'PAUSED', 'BY', 'REASON', 'RESUMED', 'BY']

// The order of the fields is the order of the list's columns.
function presentPast({ environment, pausedAt, pausedBy, reason, resumedAt, resumedBy }: PastPause) {
  return {
    environment,
    paused_at: pausedAt.toISOString(),
    paused_by: pausedBy,
    reason,
    resumed_at: resumedAt.toISOString(),
    resumed_by: resumedBy,
  }
}

function presentState(state: RailState) {
  return {
    environment: state.environment,
    state: state.pausedAt === null ? 'open' : 'paused',
    since: state.pausedAt?.toISOString() ?? null,
    by: state.pausedBy,
    reason: state.reason,
    unsent: state.unsent,
    unsent_gbp: formatPence(state.unsentPence),
    unconfirmed: state.unconfirmed,
    unconfirmed_gbp: formatPence(state.unconfirmedPence),
  }
}
