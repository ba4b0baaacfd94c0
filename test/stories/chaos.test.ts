// All components fail at random, for half a minute or for the minutes given to `npm run chaos`: nothing is lost
// and nothing is paid twice.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { migrate } from '../../db/migrate'
import { systemClock } from '../../runtime/clock'
import { environment } from '../../runtime/config/config'
import { driftsOf } from '../chaos/at-rest'
import { openPartners } from '../chaos/partners'
import { planOf } from '../chaos/plan'
import { runPlan } from '../chaos/run-plan'
import { type Run, rowOf } from '../chaos/summary'
import { settleMs, sumOf, verdictMs, verdictOn } from '../chaos/verdict'
import { withoutTriggers } from '../support/db/without-triggers'
import { type OwnServers, openServers } from '../support/system/own-servers'
import { openWorld, type World } from '../support/system/world'

/** A fixed seed. `npm run chaos` uses others. */
const seed = Number(environment()['CHAOS_SEED'] ?? 7)
const minutes = Number(environment()['CHAOS_MINUTES'] ?? 0.5)
const finals = ['completed', 'failed', 'returned']

// Processes that are down at the end of the plan get as much time to start as the verdict gets.
jest.setTimeout(minutes * 60_000 + 2 * verdictMs)

let servers: OwnServers
let world: World

beforeAll(openAll)
afterAll(async () => {
  try {
    await world.close()
  } finally {
    await servers.close()
  }
})

test(`${minutes} minutes of chaos, seed ${seed}: every accepted payout becomes final, and no recipient is paid twice`, async () => {
  const partners = await openPartners(world)

  const { takeBack, ...planResult } = await runPlan(planOf({ seed, ms: minutes * 60_000 }), world, servers)
  await world.clearFaults()
  await partners.stop(settleMs)
  // On a slow machine, most of the planned returns happen only now, because a transfer must be paid first.
  const returns = await takeBack.finish(settleMs)
  const verdict = await verdictOn(world, partners)

  printSummary({ seed, minutes, at: systemClock.now(), ...planResult, returns, ...verdict })
  expect(verdict).toMatchObject({ paidTwice: [], drifts: [], falseAlarms: [] })
  expect(Object.keys(verdict.outcomes).filter((status) => !finals.includes(status))).toEqual([])
  expect(sumOf(verdict.outcomes)).toBe(verdict.orders)
  expect(Object.keys(verdict.environments)).toEqual(['live', 'sandbox'])
  expect(verdict.outcomes['returned']).toBeGreaterThan(0)
  expect(planResult.ended).toEqual([])
})

test('the verdict reports a changed ledger entry as a drift, and a changed activity row as a broken chain', async () => {
  const change = (sql: string) => withoutTriggers(world.db, sql)
  const entry = 'WHERE id = (SELECT min(id) FROM ledger_entries WHERE balance_micro_usdc IS NOT NULL)'
  const line = 'WHERE id = (SELECT min(id) FROM activity WHERE changes)'

  await change(`UPDATE ledger_entries SET amount_micro_usdc = amount_micro_usdc + 1 ${entry}`)
  const drifts = await driftsOf(world)
  await change(`UPDATE ledger_entries SET amount_micro_usdc = amount_micro_usdc - 1 ${entry}`)
  await change(`UPDATE activity SET made_by = made_by || '?' ${line}`)
  const judged = await world.judge().catch(String)
  await change(`UPDATE activity SET made_by = left(made_by, -1) ${line}`)

  expect(drifts.join('\n')).toContain('wallet_balance')
  expect(judged).toContain('I9 row_changed')
  expect(await driftsOf(world)).toEqual([])
})

/**
 * Repeats a failed start once, with new servers. In one run of CI this start waited until the test timed out, and the
 * cause is not known. The printed step shows where to look.
 */
async function openAll(): Promise<void> {
  try {
    ;[servers, world] = await Promise.race([open(), sleep(openMs, null, { ref: false }).then(tooLate)])
  } catch (error) {
    process.stderr.write(`The start failed at ${step} and is repeated: ${String(error)}\n`)
    ;[servers, world] = await open()
  }
}

/** Longer than the limit for the processes, whose error contains their output. */
const openMs = 300_000
let step = ''

async function open(): Promise<[OwnServers, World]> {
  step = 'the servers'
  const opened = await openServers()
  step = 'the migrations'
  await migrate(opened.postgres.url)
  step = 'the processes'
  const system = await openWorld({
    ofEach: 2,
    databaseUrl: opened.postgres.url,
    temporalAddress: opened.temporal.address,
    // The proof and the audit sealer run throughout, so kills interrupt them too.
    env: {
      PAYOUT_ANSWER_MS: '3000',
      PAYOUT_REPEAT_MS: '60000',
      SWEEP_EVERY_MS: '5000',
      WALLET_READ_EVERY_MS: '5000',
      PROOF_EVERY_MS: '15000',
      AUDIT_SEAL_EVERY_MS: '10000',
    },
  })
  return [opened, system]
}

function tooLate(): never {
  throw new Error(`not open after ${openMs} ms`)
}

/** Prints the row for docs/reliability.md, but only for `npm run chaos`. */
function printSummary(run: Run): void {
  if (environment()['CHAOS_MINUTES'] !== undefined) process.stderr.write(`${JSON.stringify(run)}\n${rowOf(run)}\n`)
}
