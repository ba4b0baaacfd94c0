// A network between the service and PostgreSQL that a test can cut and mend.
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export interface TcpProxy {
  readonly url: string
  /** Ends every connection and refuses new ones, as a server that is gone does. */
  cut(): Promise<void>
  mend(): Promise<void>
  /** Keeps every connection and passes nothing on any more, as a network that has lost its way does. */
  hush(): void
}

export async function proxyOf(databaseUrl: string): Promise<TcpProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let hushed = false
  const server = createServer((near) => {
    if (hushed) return void sockets.add(near.on('error', () => near.destroy()))
    const far = connect(Number(target.port), target.hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => other.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
  })
  const port = await listen(server, 0)
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return {
    url: url.href,
    cut: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
    mend: async () => void (await listen(server, port)),
    hush: () => {
      hushed = true
      for (const socket of sockets) socket.unpipe().pause()
    },
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(isAddress(address) ? address.port : port)
    })
  })
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === 'object' && address !== null
}
