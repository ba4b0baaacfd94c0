// The complete system as `npm start` runs it, with a browser, for the dashboard stories.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { choosePort } from '../../../local/ports'
import { removeCluster } from '../../../local/postgres/cluster'
import { opened } from '../opened'
import { type Local, runningProcessesOf, type StartedSystem, start } from '../system/started'
import { until } from '../until'
import { buildDashboard } from './built-dashboard'
import { openChromium } from './chromium'
import { signIn } from './steps'
import { aVisitor, type Visitor } from './visitor'

export interface Stage {
  readonly system: StartedSystem
  readonly local: Local
  /** The system's data directory, which the ops CLI uses to find the system. */
  readonly dataDir: string
  readonly browser: Browser
  close(): Promise<void>
}

/** A complete system for this test file. */
export function useStage(): Stage {
  return opened(aStage, (stage) => stage.close())
}

/** A visitor for a test file or describe block, signed in if `email` is given. */
export function useVisitor(stage: Stage, email?: string): Visitor {
  return opened(
    async () => {
      const visitor = await aVisitor(stage.browser, stage.local.api)
      if (email !== undefined) await signIn(visitor, stage.local, email)
      return visitor
    },
    (visitor) => visitor.leave(),
  )
}

async function aStage(): Promise<Stage> {
  buildDashboard()
  const dataDir = mkdtempSync(join(tmpdir(), 'payouts-dashboard-'))
  chmodSync(dataDir, 0o755)
  const system = start(dataDir, { PORT: String(await choosePort(0)), NOTICES_EVERY_MS: '2000' })
  const stop = async () => {
    system.signal('SIGINT')
    await system.exited
    await until('nothing is running any more', () => runningProcessesOf(dataDir, []).length === 0)
    removeCluster(join(dataDir, 'postgres'))
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    const local = await system.ready()
    const browser = await openChromium()
    return { system, local, dataDir, browser, close: () => browser.close().then(stop) }
  } catch (error) {
    await stop()
    throw error
  }
}
