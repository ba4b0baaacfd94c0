// Closes the bank's door for a while: connections are refused, as when the process is not there at all.
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
        // The answer to whoever asked for the outage is still to be written.
        setTimeout(() => server().closeAllConnections(), 20).unref()
      }
      timer = setTimeout(() => void end().catch(() => {}), ms)
    },
    end,
    isDown: () => timer !== null,
  }
}
