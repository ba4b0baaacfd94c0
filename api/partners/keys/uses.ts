// The last use of each API key, kept in memory and written in batches, so that a request costs no write.

import type { Db } from '../../../db/database'
import { type ApiKeyUse, recordApiKeyUse } from '../../../db/partners/api-keys'
import type { Clock } from '../../../runtime/clock'

interface KeyUses {
  note(keyId: string, at: Date): void
  /** The uses that are due to be written. */
  readonly due: () => ApiKeyUse[]
  readonly all: () => ApiKeyUse[]
  write(uses: readonly ApiKeyUse[]): Promise<void>
}

const writeEveryMs = 30_000

export function createKeyUses({ db, clock }: { db: Db; clock: Clock }): KeyUses {
  const uses = new Map<string, Date>()
  const writtenAt = new Map<string, number>()
  const all = () => [...uses].map(([keyId, at]) => ({ keyId, at }))

  return {
    note: (keyId, at) => void uses.set(keyId, at),
    due: () => all().filter(({ keyId }) => clock.now().getTime() - (writtenAt.get(keyId) ?? 0) >= writeEveryMs),
    all,
    async write(taken) {
      if (taken.length === 0) return
      for (const { keyId } of taken) uses.delete(keyId)
      const putBack = ({ keyId, at }: ApiKeyUse) => uses.set(keyId, uses.get(keyId) ?? at)
      const skipped = await recordApiKeyUse(db, taken).catch((error: unknown) => {
        taken.forEach(putBack)
        throw error
      })
      for (const use of taken) {
        if (skipped.includes(use.keyId)) putBack(use)
        else writtenAt.set(use.keyId, use.at.getTime())
      }
    },
  }
}
