// The explorer's replacements for every module that is loaded after this one: Temporal's workflow package and
// real time.
import { afterAll, jest } from '@jest/globals'
import { currentActor } from './schedule'

jest.mock('@temporalio/workflow', () => jest.requireActual('./workflow-runtime'))
jest.mock('node:timers/promises', () => ({ setTimeout: sleep }))

const { now } = Date
// Temporal gives workflow code the time of the workflow.
Date.now = () => {
  const actor = currentActor()
  return actor?.process.name === 'temporal' ? actor.schedule.nowMs : now()
}

afterAll(() => {
  Date.now = now
})

/** A pause inside a schedule takes virtual time. */
async function sleep(ms: number): Promise<void> {
  const actor = currentActor()
  if (actor === null) throw new Error('only the actors of a schedule wait')
  await actor.schedule.sleep(ms)
}
