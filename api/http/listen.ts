// Opens the port, with a clear message when it is in use. Closes it gracefully, so that running requests can finish.
import type { Server } from 'node:http'

/**
 * Clients that are still connected after this time are disconnected. A deployment waits only ten seconds for the
 * process to stop.
 */
const finishWithinMs = 7_000

export function listen(
  server: Server,
  { host, port, variable = 'PORT' }: { host: string; port: number; variable?: string },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(new Error(sentence(error, port, variable))))
    server.listen(port, host, () => resolve())
  })
}

export function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cutOff = setTimeout(() => server.closeAllConnections(), finishWithinMs)
    // A keep-alive connection that becomes idle later would keep the server open until the connection times out.
    const hangUp = setInterval(() => server.closeIdleConnections(), 50)
    server.close(() => {
      clearTimeout(cutOff)
      clearInterval(hangUp)
      resolve()
    })
  })
}

function sentence(error: NodeJS.ErrnoException, port: number, variable: string): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} is in use; choose another with ${variable}=<number>.`
  if (error.code === 'EACCES')
    return `Port ${port} cannot be opened by this user; choose another with ${variable}=<number>.`
  return `Port ${port} cannot be opened: ${error.code ?? 'unknown reason'}.`
}
