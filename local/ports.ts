// Finds free TCP ports: the preferred one, or one that the system picks. Remembers the ports of a local system.

import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { LocalPorts } from '../runtime/config/config'
import { writePrivate } from './files'

export async function choosePort(preferred: number, host = '127.0.0.1'): Promise<number> {
  return (await bind(preferred, host)) ?? (await bind(0, host)) ?? fail(host)
}

/**
 * Also true if another process listens on only one of localhost's addresses, because a client could reach that process
 * instead.
 */
export async function isTaken(port: number, host: string): Promise<boolean> {
  if ((await bind(port, host)) === null) return true
  const answers = await Promise.all([answersOn(port, '127.0.0.1'), answersOn(port, '::1')])
  return answers.includes(true)
}

function bind(port: number, host: string): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(null))
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : null))
    })
  })
}

function answersOn(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 500 })
    const settle = (answered: boolean) => {
      socket.destroy()
      resolve(answered)
    }
    socket.once('connect', () => settle(true))
    socket.once('error', () => settle(false))
    socket.once('timeout', () => settle(false))
  })
}

function fail(host: string): never {
  throw new Error(`No free TCP port on ${host}.`)
}

type ServerName = keyof typeof usualPorts

interface PortsPlan {
  readonly dataDir: string
  /** The port of the API. */
  readonly port: number
  /** Ports that are set explicitly. */
  readonly setPorts: LocalPorts
}

export interface KeptPorts {
  /** Returns the configured port. Without one, returns the port of the last start, or the usual one. */
  readonly preferred: (server: ServerName) => number
  /** Records the port that a server listens on. */
  readonly keep: (server: ServerName, port: number) => void
}

const usualPorts = { postgres: 5432, temporal: 7233, temporalUi: 8233, bank: 8300, smtp: 1025, inbox: 8025 }

/** Reuses a local system's ports at each start, so that bookmarks and scripts stay valid. */
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

/** Empty before the first start, or if the file is damaged. The usual ports then apply. */
function readKept(file: string): Partial<Record<ServerName, number>> {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}
