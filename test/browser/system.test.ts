// The dashboard stories on one system that `npm start` runs. They share it, because starting it takes most of the time.
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

describe('the main story', () => {
  newcomer(stage)
})
describe('verification', () => {
  goingLive(stage)
})
describe('verified', () => {
  verifiedPartner(stage)
})
describe('a payout whose response is lost', () => {
  unknownPayout(stage)
})
// After the others, because it changes the delays of the bank.
describe('after a payout was sent', () => {
  afterwards(stage)
})

// Last, because it ends the system.
describe('npm start', () => {
  test('restarts a worker and an API that were killed, and says so in one line each', async () => {
    const { system, local } = stage
    for (const part of ['Worker', 'API']) process.kill(pidOf(part) ?? 0, 'SIGKILL')

    const line = /^✓ (Worker|API) had ended and was restarted \(\d+\.\d s\)$/gm
    await until('both run again', () => system.output().match(line)?.length === 2)
    expect((await fetch(`${local.api}/readyz`)).status).toBe(200)
  })

  test('stops everything if a part keeps ending, prints the last lines of its log, and exits with 1', async () => {
    const { system, dataDir } = stage
    const parts = system.parts()
    while (pidOf('Worker') !== null) {
      const pid = pidOf('Worker') ?? 0
      process.kill(pid, 'SIGKILL')
      await until('another worker, or none', () => pidOf('Worker') !== pid)
    }

    expect(await system.exited).toBe(1)
    expect(system.output()).toMatch(
      /Worker has ended again after 3 restarts within a minute, so everything stops\. Last lines of .*worker\.log:\n\{/,
    )
    await until('nothing runs any more', () => leftOf(dataDir, parts).length === 0)
  })
})

/** Null once everything has stopped, because that deletes the list of parts. */
function pidOf(part: string): number | null {
  try {
    return stage.system.parts().find(({ name }) => name === part)?.pid ?? null
  } catch {
    return null
  }
}
