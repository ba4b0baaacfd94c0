// Calls are recorded in bounded batches instead of one write per call, and none is lost at shutdown or in a short
// outage.

import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { type ActivityLog, createActivityLog } from '../../../api/controls/activity-log'
import type { ActivityEntry } from '../../../db/controls/activity'
import type { Db } from '../../../db/database'
import { listApiKeys } from '../../../db/partners/api-keys'
import { systemClock } from '../../../runtime/clock'
import { aKey, aPartner } from '../../support/api/fixtures'
import { useDatabase } from '../../support/db/database'
import { tapped } from '../../support/db/tapped'
import { keptLog } from '../../support/kept-logs'

const db = useDatabase(5)
let partnerId: string
const log = keptLog()

beforeAll(async () => {
  partnerId = (await aPartner({ db, clock: systemClock })).id
})

/** The real database. Records its statements, and fails them if `down` is set or if they contain `failing`. */
function watched(): { db: Db; statements: string[]; longest: number; down: boolean; failing: string | null } {
  const state: ReturnType<typeof watched> = {
    statements: [],
    longest: 0,
    down: false,
    failing: null,
    db: tapped(db, ({ text, values }, next) => {
      state.statements.push(text)
      state.longest = Math.max(state.longest, String(values[0]).length)
      const isFailing = state.failing !== null && text.includes(state.failing)
      return state.down || isFailing ? Promise.reject(new Error('the database is away')) : next()
    }),
  }
  return state
}

function entry(action: string): ActivityEntry {
  const at = systemClock.now()
  return {
    partnerId,
    at,
    environment: 'sandbox',
    action,
    changes: 'nothing',
    status: 200,
    madeBy: 'key:x',
    detail: null,
    requestId: randomUUID(),
  }
}

test('a key use that cannot be written is not lost, and the entries of its batch are not duplicated', async () => {
  const state = watched()
  const activityLog = createActivityLog({ db: state.db, clock: systemClock, log })
  const partner = await aPartner({ db, clock: systemClock })
  await aKey({ db, clock: systemClock }, partner, 'sandbox')
  const [key] = await listApiKeys(db, partner.id)

  state.failing = 'UPDATE api_keys'
  activityLog.record(entry('test.key-use'), key?.id ?? '')
  await expect(activityLog.flush()).rejects.toThrow('away')
  state.failing = null
  await activityLog.close()

  expect(await countOf('test.key-use')).toBe(1)
  expect((await listApiKeys(db, partner.id))[0]?.lastUsedAt).not.toBeNull()
})

test('closing the log waits for entries that are still being written, even if the write of a key use fails', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const failed = new Error('the database is away')
  const slow = tapped(db, async ({ text }, next) => {
    if (text.includes('UPDATE api_keys')) throw failed
    if (text.includes('INSERT INTO activity')) await held
    return next()
  })
  const activityLog = createActivityLog({ db: slow, clock: systemClock, log })

  activityLog.record(entry('test.closing'), randomUUID())
  const flushed = activityLog.flush().catch((error: unknown) => error)
  const closed = activityLog.close()
  setImmediate(release)
  await closed

  expect(await countOf('test.closing')).toBe(1)
  expect(await flushed).toBe(failed)
})

test('a flood of refused calls adds one entry per second', async () => {
  const activityLog = createActivityLog({ db, clock: systemClock, log })
  const at = systemClock.now()

  for (let n = 0; n < 50; n++) activityLog.record({ ...entry('test.flood'), at, status: 429 }, null)
  activityLog.record({ ...entry('test.flood'), at: new Date(at.getTime() + 1_000), status: 429 }, null)
  await activityLog.close()

  expect(await countOf('test.flood')).toBe(2)
})

function recordMany(activityLog: ActivityLog, action: string, count: number): void {
  for (let n = 0; n < count; n++) activityLog.record(entry(action), null)
}

async function countOf(action: string): Promise<number> {
  const [row] = await db.sql<{ count: number }>`SELECT count(*)::int AS count FROM activity WHERE action = ${action}`
  return row?.count ?? 0
}

test('hundreds of calls are written with a few statements', async () => {
  const { db: counting, statements } = watched()
  const activityLog = createActivityLog({ db: counting, clock: systemClock, log })

  recordMany(activityLog, 'test.batch', 400)
  await activityLog.close()

  expect(await countOf('test.batch')).toBe(400)
  expect(statements.length).toBeLessThanOrEqual(2)
})

/** An activity log that buffered calls during an outage, which has ended. */
async function afterAnOutage(action: string, count: number) {
  const state = watched()
  const activityLog = createActivityLog({ db: state.db, clock: systemClock, log })
  state.down = true
  recordMany(activityLog, action, count)
  await expect(activityLog.flush()).rejects.toThrow('away')
  state.down = false
  return { state, activityLog }
}

test('calls buffered during an outage are written once when it ends', async () => {
  const { activityLog } = await afterAnOutage('test.outage', 10)

  recordMany(activityLog, 'test.outage', 5)
  await activityLog.close()

  expect(await countOf('test.outage')).toBe(15)
})

test('the buffer for an outage is bounded, and the oldest entries are dropped', async () => {
  const { state, activityLog } = await afterAnOutage('test.bound', 25_000)

  await activityLog.close()

  expect(await countOf('test.bound')).toBe(20_000)
  expect(state.longest).toBeLessThan(300_000)
})
