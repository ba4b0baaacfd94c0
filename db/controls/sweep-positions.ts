// The position at which each stage of the sweep stopped. The next sweep continues from it.
import { entity, primary, text } from '../columns'
import type { Queryable } from '../database'

interface SweepPositionRow {
  readonly stage: string
  readonly after: string
}

export const sweepPosition = entity<SweepPositionRow>('SweepPosition', 'sweep_positions', {
  stage: primary(text),
  after: text,
})

/** Returns null if the next sweep starts from the beginning. */
export async function findSweepPosition(db: Queryable, stage: string): Promise<string | null> {
  return (await db.repo(sweepPosition).findOneBy({ stage }))?.after ?? null
}

/** If `after` is null, the next sweep starts from the beginning. */
export async function saveSweepPosition(db: Queryable, stage: string, after: string | null): Promise<void> {
  if (after === null) await db.sql`DELETE FROM sweep_positions WHERE stage = ${stage}`
  else
    await db.sql`INSERT INTO sweep_positions (stage, after) VALUES (${stage}, ${after})
    ON CONFLICT (stage) DO UPDATE SET after = excluded.after`
}
