// The dashboard stories share one system started by `npm start`, because starting one takes most of the time.
import { describe, expect, test } from '@jest/globals'
import { useStage } from '../support/browser/stage'
import { runningProcessesOf } from '../support/system/started'
import { until } from '../support/until'
import { goingLive } from './partners/verification'
import { verifiedPartner } from './partners/verified'
import { afterwards } from './payouts/afterwards'
import { unknownPayout } from './payouts/unknown'
import { newUser } from './story'

const stage = useStage()

describe('the main story', () => {
  newUser(stage)
})
describe('verification', () => {
  goingLive(stage)
})
describe('at a verified partner', () => {
  verifiedPartner(stage)
})
describe('a payout whose response is lost', () => {
  unknownPayout(stage)
})
// Runs after the others, because it changes the bank's delays.
describe('after a payout was sent', () => {
  afterwards(stage)
})

// Runs last, because it stops the system.
describe('npm start', () => {
  test('restarts a killed worker and a killed API, with one line of output for each', async () => {
    const { system, local } = stage
    for (const part of ['Worker', 'API']) process.kill(pidOf(part) ?? 0, 'SIGKILL')

    const line = /^✓ (Worker|API) had ended and was restarted \(\d+\.\d s\)$/gm
    await until('both run again', () => system.output().match(line)?.length === 2)
    expect(await until('it is ready', async () => (await fetch(`${local.api}/readyz`)).ok)).toBe(true)
  })

  test('stops everything if one process keeps exiting, prints the last lines of its log, and exits with 1', async () => {
    const { system, dataDir } = stage
    const parts = system.parts()
    while (pidOf('Worker') !== null) {
      const pid = pidOf('Worker') ?? 0
      process.kill(pid, 'SIGKILL')
      await until('the killed worker is gone or replaced', () => pidOf('Worker') !== pid)
    }

    expect(await system.exited).toBe(1)
    expect(system.output()).toMatch(
      /Worker has ended again after 3 restarts within a minute, so everything stops\. Last lines of .*worker\.log:\n\{/,
    )
    await until('nothing runs any more', () => runningProcessesOf(dataDir, parts).length === 0)
  })
})

/** Null once everything has stopped, because `npm start` then deletes the list of its processes. */
function pidOf(part: string): number | null {
  try {
    return stage.system.parts().find(({ name }) => name === part)?.pid ?? null
  } catch {
    return null
  }
}
