// Lists the worker processes, and drains one so that it finishes its tasks and accepts no new ones.
import { setTimeout as wait } from 'node:timers/promises'
import { findWorker, type ListedWorker, listWorkers, requestDrain } from '../db/controls/workers'
import { type Answer, type Command, defineCommand, done, foundProblem, refused } from './command'
import type { Ops } from './connect'
import { type Kind, oneOf, optional, required } from './options'
import { table } from './print'

const workerId: Kind<string> = {
  placeholder: '<id>',
  rule: 'the ID of a worker, as `worker list` shows it',
  parse: (text) => (/^[2-9a-z]{6}$/.test(text) ? text : undefined),
}

const seconds: Kind<number> = {
  placeholder: '<seconds>',
  rule: 'a whole number from 0 to 600',
  parse: (text) => (/^\d{1,3}$/.test(text) && Number(text) <= 600 ? Number(text) : undefined),
}

const list = defineCommand('worker list', {
  about: 'Shows the worker processes of the last week: state, start, last heartbeat, and drains.',
  async run({ db }) {
    const workers = await listWorkers(db)
    const header = ['ID', 'STATE', 'HOST', 'PID', 'VERSION', 'SINCE', 'LAST SEEN', 'DRAINING SINCE', 'BY']
    const rows = workers.map((each) => [
      each.id,
      each.state,
      each.host,
      String(each.pid),
      each.version,
      each.startedAt.toISOString(),
      each.seenAt.toISOString(),
      each.drainingAt?.toISOString() ?? null,
      each.askedBy,
    ])
    return done({ object: 'list', data: workers.map(presentWorker) }, table(header, rows))
  },
})

const drain = defineCommand('worker drain', {
  about: 'Makes a worker finish its running tasks and take no new ones; the process stays idle until you stop it.',
  options: {
    worker: required(workerId, 'The worker.'),
    wait: optional(seconds, 'How long to wait until it is drained; 0 returns immediately, the default is 60.'),
    last: optional(
      oneOf(['allow']),
      'Drains the worker even if no other worker serves its queues: payouts then wait until another worker is running.',
    ),
  },
  example: ['--worker', 'k7m2qd'],
  async run(ops, given) {
    const { db, clock, madeBy } = ops
    const ifLast = given.last === 'allow' ? 'drain' : 'refuse'
    const answer = await requestDrain(db, { id: given.worker, by: madeBy, at: clock.now(), ifLast })
    if (answer.outcome === 'unknown') return refused('not_found', `There is no worker ${given.worker}.`)
    const { outcome, worker } = answer
    if (outcome === 'last') return refused('invalid_state', isLast(worker))
    if (outcome === 'too-late') return refused('invalid_state', tooLate(worker))
    const sentence = `Worker ${worker.id} ${outcome === 'asked' ? 'was asked to drain' : 'is already draining'}.`
    if (given.wait === 0) return done(presentWorker(worker), sentence)
    ops.say(sentence)
    return outcomeOf(await drained(db, worker, given.wait ?? 60))
  },
})

export const commands: readonly Command[] = [list, drain]

/** Waits until the worker is drained or gone, or the timeout expires. */
async function drained(db: Ops['db'], asked: ListedWorker, withinSeconds: number): Promise<ListedWorker> {
  const end = performance.now() + withinSeconds * 1_000
  let worker = asked
  while (worker.state === 'draining' && performance.now() < end) {
    await wait(pollMs)
    worker = (await findWorker(db, asked.id)) ?? worker
  }
  return worker
}

const pollMs = 250

function outcomeOf(worker: ListedWorker): Answer {
  const json = presentWorker(worker)
  const { id, pid, host } = worker
  if (worker.state === 'drained')
    return done(json, `Worker ${id} is drained: process ${pid} on ${host} stays idle until you stop it.`)
  if (worker.state === 'ended') return done(json, `Worker ${id} has finished its tasks, and its process has ended.`)
  if (worker.state === 'gone')
    return foundProblem(json, `Worker ${id} was lost while draining: others take over its tasks within seconds.`)
  return foundProblem(json, `Worker ${id} is still draining: \`worker list\` shows when it is drained.`)
}

function isLast({ id }: ListedWorker): string {
  return `Worker ${id} is the only one that serves all its queues: start another one first. With --last allow, it drains anyway, and payouts wait until a worker is running.`
}

function tooLate({ id, state, seenAt, drainedAt, endedAt, askedBy }: ListedWorker): string {
  if (state === 'drained') return `Worker ${id} was drained at ${at(drainedAt)}${askedBy ? ` by ${askedBy}` : ''}.`
  if (state === 'ended') return `Worker ${id} ended at ${at(endedAt)}.`
  return `Worker ${id} is gone: its last heartbeat was at ${at(seenAt)}.`
}

function at(time: Date | null): string {
  return time?.toISOString() ?? 'an unknown time'
}

function presentWorker(worker: ListedWorker) {
  const { id, state, host, pid, version, taskQueues: task_queues } = worker
  const identity = { id, state, host, pid, version, task_queues }
  return {
    ...identity,
    started_at: worker.startedAt.toISOString(),
    seen_at: worker.seenAt.toISOString(),
    draining_at: worker.drainingAt?.toISOString() ?? null,
    asked_by: worker.askedBy,
    drained_at: worker.drainedAt?.toISOString() ?? null,
    ended_at: worker.endedAt?.toISOString() ?? null,
  }
}
