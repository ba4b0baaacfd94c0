// Lets the next sweep continue where an interrupted one stopped.
import { findSweepPosition, saveSweepPosition } from '../../../db/controls/sweep-positions'
import type { Page, SweptPage } from '../../../workflows/controls/sweep'
import type { ActivityDeps } from '../../bind'

type Sweep<Deps> = (deps: Deps, page: Page) => Promise<SweptPage>

/** A position that cannot be continued from is dropped. */
export function resumable<Deps extends Pick<ActivityDeps, 'db'>>(stage: string, sweep: Sweep<Deps>): Sweep<Deps> {
  return async (deps, page) => {
    const after = page.after ?? (await findSweepPosition(deps.db, stage))
    try {
      const swept = await sweep(deps, { ...page, after })
      await saveSweepPosition(deps.db, stage, swept.next ?? null)
      return swept
    } catch (error) {
      await saveSweepPosition(deps.db, stage, null)
      throw error
    }
  }
}
