// Address and credentials of the Temporal server in the form that both kinds of connection take, so that API, worker, ops and replay reach it alike.
import type { TLSConfig } from '@temporalio/client'
import type { TemporalConfig, TemporalTls } from '../config/config'

export interface Server {
  readonly address: string
  readonly tls: TLSConfig | false
  readonly apiKey?: string
}

export function serverOf({ address, tls, apiKey }: TemporalConfig): Server {
  return { address, tls: tls !== null && tlsOf(tls), ...(apiKey !== null && { apiKey }) }
}

function tlsOf({ ca, serverName, client }: TemporalTls): TLSConfig {
  return {
    ...(ca !== null && { serverRootCACertificate: Buffer.from(ca) }),
    ...(serverName !== null && { serverNameOverride: serverName }),
    ...(client !== null && { clientCertPair: { crt: Buffer.from(client.certificate), key: Buffer.from(client.key) } }),
  }
}
