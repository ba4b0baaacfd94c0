// A proxy in front of Temporal's Web UI that accepts local host names only, because the Web UI does not check the Host
// header.

import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from 'node:http'
import { pipeline } from 'node:stream'
import { choosePort } from '../ports'

export interface Address {
  readonly host: string
  readonly port: number
}

interface WebUi {
  readonly port: number
  readonly close: () => void
}

/**
 * The address of the Web UI itself. On Linux every address in 127.0.0.0/8 is local, so a web page that bypasses the
 * proxy must guess 24 bits besides the port. Other systems have only 127.0.0.1.
 */
export async function chooseHiddenAddress(): Promise<Address> {
  const host = ['127', randomInt(1, 255), randomInt(1, 255), randomInt(1, 255)].join('.')
  return choosePort(0, host).then(
    (port) => ({ host, port }),
    async () => ({ host: '127.0.0.1', port: await choosePort(0) }),
  )
}

/** Listens on the preferred port, or on another one if it is taken. */
export async function serveWebUi(hidden: Address, preferredPort: number): Promise<WebUi> {
  const server = createServer((request, response) => {
    if (isForeign(request)) refuse(response, 403, 'Open the Web UI as localhost or 127.0.0.1.')
    else forward(request, response, hidden)
  })
  // Another process may take the port after it was chosen.
  const port = await listen(server, preferredPort).catch(() => listen(server, 0))
  return {
    port,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/**
 * In a DNS rebinding attack, the attacker's host name resolves to this machine. The attacker's pages then send that
 * name as Host.
 */
function isForeign({ headers: { host = '', origin } }: IncomingMessage): boolean {
  return !ownName.test(host) || (origin !== undefined && origin !== `http://${host}`)
}

const ownName = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i

function forward(request: IncomingMessage, response: ServerResponse, { host, port }: Address): void {
  const { method, url: path, headers } = request
  const forwarded = send({ host, port, method, path, headers: endToEnd(headers) }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers))
    pipeline(answer, response, () => {})
  })
  forwarded.on('error', () => {
    if (response.headersSent) response.destroy()
    else refuse(response, 502, 'The Web UI does not answer.')
  })
  response.on('close', () => forwarded.destroy())
  pipeline(request, forwarded, () => {})
}

/** Drops the hop-by-hop headers, which apply to one connection only. */
function endToEnd(headers: IncomingMessage['headers']): IncomingMessage['headers'] {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !['connection', 'keep-alive'].includes(name)))
}

function refuse(response: ServerResponse, status: number, sentence: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' })
  response.end(`${sentence}\n`)
}

async function listen(server: Server, preferredPort: number): Promise<number> {
  const port = await choosePort(preferredPort)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return port
}
