// What a running system tells about itself: a screen for people, DATA_DIR/local.json for scripts.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Plan } from './plan'
import { writePrivate } from './private-file'
import type { System } from './system'
import { renderScreen } from './terminal/screen'

/** The file comes last: whoever waits for it finds everything ready. */
export function publish({ api, dataDir }: Plan, { temporalAddress, temporalUi, bank, mail, demo }: System): void {
  const docs = `${api}/docs`
  const dashboard = `${api}/dashboard`
  process.stdout.write(
    renderScreen(
      { api, docs, dashboard, temporalUi, bank, mailInbox: mail?.inbox ?? null, demo, dataDir },
      process.stdout,
    ),
  )
  const addresses = {
    api,
    docs,
    dashboard,
    temporal: temporalAddress,
    ...(temporalUi ? { temporal_ui: temporalUi } : {}),
    ...(bank ? { bank } : {}),
    ...(mail ? { mail } : {}),
  }
  writePrivate(join(dataDir, 'local.json'), { ...addresses, ...demo })
}

/** Nobody shall find the addresses of a system that is not ready yet or not there any more. */
export function unpublish({ dataDir }: Plan): void {
  for (const name of ['local.json', 'env.json']) rmSync(join(dataDir, name), { force: true })
}
