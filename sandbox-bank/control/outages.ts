// Simulates an outage: the bank refuses connections for a while, as if its process were down.
import type { Server } from 'node:http'

export interface Outages {
  begin(ms: number): void
  end(): Promise<void>
  isDown(): boolean
}

export function createOutages(server: () => Server, listen: () => Promise<void>): Outages {
  let timer: NodeJS.Timeout | null = null

  async function end(): Promise<void> {
    if (!timer) return
    clearTimeout(timer)
    timer = null
    await listen()
  }

  return {
    begin(ms) {
      if (timer) clearTimeout(timer)
      else {
        server().close()
        // Leaves time to write the response to the request that started the outage.
        setTimeout(() => server().closeAllConnections(), 20).unref()
      }
      timer = setTimeout(() => void end().catch(() => {}), ms)
    },
    end,
    isDown: () => timer !== null,
  }
}
