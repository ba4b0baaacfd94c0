// Replaces Temporal's workflow package and real time in every module that is loaded after this one.
import { afterAll, jest } from '@jest/globals'
import { currentActor } from './schedule'

jest.mock('@temporalio/workflow', () => jest.requireActual('./workflow-runtime'))
jest.mock('node:timers/promises', () => ({ setTimeout: sleep }))

const { now } = Date
// Workflow code gets the workflow's time, as in Temporal.
Date.now = () => {
  const actor = currentActor()
  return actor?.process.name === 'temporal' ? actor.schedule.nowMs : now()
}

afterAll(() => {
  Date.now = now
})

/** Waits in the schedule's virtual time. */
async function sleep(ms: number): Promise<void> {
  const actor = currentActor()
  if (actor === null) throw new Error('only the actors of a schedule wait')
  await actor.schedule.sleep(ms)
}
