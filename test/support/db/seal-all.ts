// Seals until no unsealed row is left, because another test's transaction on the same server may delay a sealer.
import { setTimeout as pause } from 'node:timers/promises'
import { sealRows } from '../../../db/controls/audit/seal'
import { verifyAudit } from '../../../db/controls/audit/verify'
import type { Db } from '../../../db/database'

/** Returns the number of sealed rows. */
export async function sealAll(db: Db, at: Date): Promise<number> {
  for (let sealed = 0; ; await pause(10)) {
    sealed += (await db.transaction((tx) => sealRows(tx, { at, limit: 1_000 })))?.rows ?? 0
    const { unsealed } = await verifyAudit(db)
    if (Object.values(unsealed).every((count) => count === 0)) return sealed
  }
}
