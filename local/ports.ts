// Finds free TCP ports: the preferred one, or a random one. Remembers the ports of a local system.

import { randomInt } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import type { LocalPorts } from '../runtime/config/config'
import { writePrivate } from './files'

/** With 0 as the preferred port, chooses any free port that this process has not tried before. */
export async function choosePort(preferred: number, host = '127.0.0.1'): Promise<number> {
  const candidates = [...(preferred === 0 ? [] : [preferred]), ...Array.from({ length: 20 }, aPort)]
  for (const port of candidates) {
    // The server of a port that was chosen before may not listen yet.
    if (port !== preferred && tried.has(port)) continue
    // Before the check, so that a concurrent call does not try the same port.
    tried.add(port)
    if (await isFree(port, host)) return port
  }
  throw new Error(`No free TCP port on ${host}.`)
}

/** The ports that this process has tried. */
const tried = new Set<number>()

/**
 * By default, Linux takes the ports of outgoing connections from 32768 upwards, and macOS from 49152. Such a connection
 * could take a chosen port before its server listens, or while its server restarts. Kubernetes uses 30000 to 32767.
 */
function aPort(): number {
  return randomInt(20_000, 30_000)
}

/**
 * Also true if another process listens on only one of localhost's addresses, because a client could reach that process
 * instead.
 */
export async function isTaken(port: number, host: string): Promise<boolean> {
  if (!(await isFree(port, host))) return true
  const answers = await Promise.all([answersOn(port, '127.0.0.1'), answersOn(port, '::1')])
  return answers.includes(true)
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)))
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
