// The dashboard with one system as `npm start` runs it. Its parts share the system, because starting it takes
// most of the time.
import { describe, expect, test } from '@jest/globals'
import { useStage } from '../support/browser/stage'
import { leftOf } from '../support/system/started'
import { until } from '../support/until'
import { goingLive } from './partners/verification'
import { verifiedPartner } from './partners/verified'
import { afterwards } from './payouts/afterwards'
import { unknownPayout } from './payouts/unknown'
import { newcomer } from './story'

const stage = useStage()

describe('story', () => {
  newcomer(stage)
})
describe('verification', () => {
  goingLive(stage)
})
describe('verified', () => {
  verifiedPartner(stage)
})
describe('unknown', () => {
  unknownPayout(stage)
})
// After the others, because it changes the delays of the bank.
describe('afterwards', () => {
  afterwards(stage)
})

// Last, because it ends the system.
describe('npm start', () => {
  test('names a part that ended by itself with the last lines of its log, stops everything and exits with 1', async () => {
    const { system, dataDir } = stage
    const parts = system.parts()
    process.kill(parts.find(({ name }) => name === 'Worker')?.pid ?? 0, 'SIGKILL')

    expect(await system.exited).toBe(1)
    expect(system.output()).toMatch(/Worker has ended, so everything stops\. Last lines of .*worker\.log:\n\{/)
    await until('nothing runs any more', () => leftOf(dataDir, parts).length === 0)
  })
})
