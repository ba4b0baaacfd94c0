// A TCP proxy in front of PostgreSQL or Temporal, whose connections a test can cut and restore.
import { connect, createServer, type Server, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { choosePort } from '../../../local/ports'

export interface TcpProxy {
  readonly url: string
  /** Ends every connection and refuses new ones, like a server that is down. */
  cut(): Promise<void>
  restore(): Promise<void>
  isConnected(): boolean
  /** Keeps every connection open but stops forwarding data, like a broken network. */
  stopForwarding(): void
  /** Makes the next connection end as soon as it is ready, as if the postmaster had just been killed. */
  endNext(): void
}

export async function proxyOf(databaseUrl: string): Promise<TcpProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isStopped = false
  let toEnd = 0
  const server = createServer((near) => {
    if (isStopped) return void sockets.add(near.on('error', () => near.destroy()))
    const far = connect(Number(target.port), target.hostname)
    if (toEnd > 0) {
      toEnd -= 1
      far.pipe(fatalErrorAfterReady()).pipe(near)
    } else far.pipe(near)
    near.pipe(far)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
  })
  const port = await choosePort(0)
  await listen(server, port)
  const url = new URL(databaseUrl)
  // With this parameter, pg would connect to the server's socket instead of the proxy.
  url.searchParams.delete('host')
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
    restore: () => listen(server, port),
    isConnected: () => sockets.size > 0,
    stopForwarding: () => {
      isStopped = true
      for (const socket of sockets) socket.unpipe().pause()
    },
    endNext: () => void (toEnd += 1),
  }
}

const readyForQuery = Buffer.from('Z\0\0\0\u0005I')
const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to unexpected postmaster exit', '']
const errorText = Buffer.from(fields.map((field) => `${field}\0`).join(''))

/** Sends ReadyForQuery and a FATAL error in one chunk, because a busy process would read both at once. */
function fatalErrorAfterReady(): Transform {
  const length = Buffer.alloc(4)
  length.writeInt32BE(errorText.length + length.length)
  const error = Buffer.concat([Buffer.from('E'), length, errorText])
  return new Transform({
    transform(piece: Buffer, _, done) {
      const isReady = piece.subarray(-readyForQuery.length).equals(readyForQuery)
      done(null, isReady ? Buffer.concat([piece, error]) : piece)
      if (isReady) this.end()
    },
  })
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
}
