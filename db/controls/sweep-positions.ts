// Where each stage of the sweep stopped, so that the next sweep continues there.
import type { Queryable, Statement } from '../database'

/** Null when the last sweep finished the stage. */
export async function findSweepPosition(db: Queryable, stage: string): Promise<string | null> {
  const [position] = await db.query<{ after: string }>(select, [stage])
  return position?.after ?? null
}

/** Null when the stage is finished. */
export async function saveSweepPosition(db: Queryable, stage: string, after: string | null): Promise<void> {
  if (after === null) await db.query(remove, [stage])
  else await db.query(save, [stage, after])
}

const select: Statement = { name: 'sweep-position', text: 'SELECT after FROM sweep_positions WHERE stage = $1' }

const save: Statement = {
  name: 'sweep-position-save',
  text: `INSERT INTO sweep_positions (stage, after) VALUES ($1, $2)
    ON CONFLICT (stage) DO UPDATE SET after = excluded.after`,
}

const remove: Statement = { name: 'sweep-position-remove', text: 'DELETE FROM sweep_positions WHERE stage = $1' }
