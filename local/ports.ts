// Which TCP ports are free on this machine: the preferred one if it is, otherwise one the system picks.

import { connect, createServer } from 'node:net'

export async function choosePort(preferred: number, host = '127.0.0.1'): Promise<number> {
  return (await bind(preferred, host)) ?? (await bind(0, host)) ?? fail(host)
}

/** Taken also means that somebody answers on one address of localhost only: a client might reach that one instead of us. */
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
  throw new Error(`No free TCP port could be found on ${host}.`)
}
