// Finds free TCP ports: the preferred one, or one that the system picks.

import { connect, createServer } from 'node:net'

export async function choosePort(preferred: number, host = '127.0.0.1'): Promise<number> {
  return (await bind(preferred, host)) ?? (await bind(0, host)) ?? fail(host)
}

/** Also true if another process answers on only one address of localhost, because a client could reach that one instead. */
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
