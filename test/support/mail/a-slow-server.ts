// A mail server that accepts emails and delays its confirmation.
import type { Socket } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** For each email, calls `then`, which may confirm the email later or close the connection. */
export async function aSlowServer(
  then: (socket: Socket, accept: () => void) => void,
  when: 'at the end' | 'at the first bytes' = 'at the end',
) {
  let taken = 0
  const sockets = new Set<Socket>()
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData: (stream, _session, done) => {
      taken += 1
      const act = () => sockets.forEach((socket) => then(socket, () => done()))
      stream.resume().once(when === 'at the end' ? 'end' : 'data', act)
    },
  })
  server.server.on('connection', (socket: Socket) => sockets.add(socket))
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    server: server.server,
    port: () => portOf(server),
    taken: () => taken,
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise<void>((resolve) => server.close(resolve))
    },
  }
}

function portOf({ server }: SMTPServer): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
