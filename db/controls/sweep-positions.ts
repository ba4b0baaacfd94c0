// Where each stage of the sweep stopped, so that the next sweep continues there.
import type { Queryable } from '../database'

/** Null when the last sweep finished the stage. */
export async function findSweepPosition(db: Queryable, stage: string): Promise<string | null> {
  const [position] = await db.sql<{ after: string }>`SELECT after FROM sweep_positions WHERE stage = ${stage}`
  return position?.after ?? null
}

/** Null when the stage is finished. */
export async function saveSweepPosition(db: Queryable, stage: string, after: string | null): Promise<void> {
  if (after === null) await db.sql`DELETE FROM sweep_positions WHERE stage = ${stage}`
  else
    await db.sql`INSERT INTO sweep_positions (stage, after) VALUES (${stage}, ${after})
    ON CONFLICT (stage) DO UPDATE SET after = excluded.after`
}
