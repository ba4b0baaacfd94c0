// Keeps the ports of a local system the same from start to start, so that bookmarks and scripts stay valid.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writePrivate } from './files'
import type { Plan } from './plan'

type ServerName = keyof typeof usualPorts
type PortsPlan = Pick<Plan, 'dataDir' | 'port' | 'setPorts'>

export interface KeptPorts {
  /** The port that a setting names, otherwise that of the last start, otherwise the usual one. */
  readonly preferred: (server: ServerName) => number
  /** Records the port that a server listens on. */
  readonly keep: (server: ServerName, port: number) => void
}

const usualPorts = { postgres: 5432, temporal: 7233, temporalUi: 8233, bank: 8300, smtp: 1025, inbox: 8025 }

export function openKeptPorts({ dataDir, port: apiPort, setPorts }: PortsPlan): KeptPorts {
  const file = join(dataDir, 'ports.json')
  const kept = readKept(file)
  const set: Partial<Record<ServerName, number | null>> = {
    temporalUi: setPorts.TEMPORAL_UI_PORT,
    bank: setPorts.SANDBOX_BANK_PORT,
    inbox: setPorts.MAIL_INBOX_PORT,
  }
  const reserved = [apiPort, ...Object.values(set)]
  return {
    preferred(server) {
      const candidate = kept[server] ?? usualPorts[server]
      return set[server] ?? (reserved.includes(candidate) ? 0 : candidate)
    },
    keep(server, port) {
      kept[server] = port
      writePrivate(file, kept)
    },
  }
}

/** Empty before the first start or if the file is damaged; the usual ports then apply. */
function readKept(file: string): Partial<Record<ServerName, number>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
