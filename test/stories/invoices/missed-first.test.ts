// A scheduled run that was missed while Temporal and every worker were down runs when they are back.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, expect, test } from '@jest/globals'
import { startTemporal, type TemporalServer } from '../../../local/temporal/start'
import { systemClock } from '../../../runtime/clock'
import { connectClient } from '../../../runtime/temporal/client'
import { putSchedule } from '../../../worker/schedules/put'
import { invoiceRunSchedule, type OurSchedule } from '../../../worker/schedules/schedules'
import { testSystem } from '../../support/jest/system'
import { testTemporal } from '../../support/temporal/a-worker'
import { until } from '../../support/until'

const folder = mkdtempSync(join(tmpdir(), 'payouts-missed-'))
let temporal: TemporalServer

afterAll(async () => {
  await temporal.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('a run is not lost if Temporal is down at its scheduled time and the worker updates the Schedule right after the restart', async () => {
  temporal = await openTemporal(0)
  const dueAt = new Date(Math.ceil(systemClock.now().getTime() / 1_000) * 1_000 + 20_000)
  // The 1st may be weeks away, so this is the real Schedule with another time.
  const schedule: OurSchedule = { ...invoiceRunSchedule, spec: { calendars: [calendarOf(dueAt)] } }
  await withClient(async (client) => {
    await putSchedule(client, schedule)
    await until('the server has accepted it', async () => {
      const { nextActionTimes } = (await client.schedule.getHandle(schedule.scheduleId).describe()).info
      return nextActionTimes.length > 0
    })
  })

  await temporal.stop()
  expect(systemClock.now().getTime()).toBeLessThan(dueAt.getTime())
  await wait(dueAt.getTime() - systemClock.now().getTime() + 1_000)
  temporal = await openTemporal(Number(temporal.address.split(':')[1]))

  await withClient(async (client) => {
    await until('the worker has updated the Schedule', () =>
      putSchedule(client, schedule).then(
        () => true,
        () => false,
      ),
    )
    const started = await until('the missed run has started', async () => {
      const { recentActions } = (await client.schedule.getHandle(schedule.scheduleId).describe()).info
      return recentActions[0]
    })
    const { workflowId } = started.action.workflow
    const { typedSearchAttributes } = await client.workflow.getHandle(workflowId).describe()
    const nominal = typedSearchAttributes.get({ name: 'TemporalScheduledStartTime', type: 'DATETIME' })
    expect(nominal).toEqual(dueAt)
  })
})

function calendarOf(time: Date) {
  return {
    year: time.getUTCFullYear(),
    month: '*' as const,
    dayOfMonth: time.getUTCDate(),
    hour: time.getUTCHours(),
    minute: time.getUTCMinutes(),
    second: time.getUTCSeconds(),
  }
}

async function openTemporal(preferredPort: number): Promise<TemporalServer> {
  const [logFile, dbFile] = [join(folder, 'temporal.log'), join(folder, 'temporal.db')]
  return startTemporal({ cli: testSystem().temporalCli, logFile, preferredPort, dbFile, preferredUiPort: null })
}

async function withClient(work: (client: ReturnType<typeof connectClient>) => Promise<void>): Promise<void> {
  const client = connectClient({ ...testTemporal(), address: temporal.address })
  try {
    await work(client)
  } finally {
    await client.connection.close()
  }
}
