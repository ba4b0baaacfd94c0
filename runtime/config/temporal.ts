// Where the Temporal server is, and how we prove to each other who we are.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Reader } from './reader'

export interface TemporalConfig {
  readonly address: string
  readonly namespace: string
  /** Null where nothing is encrypted. */
  readonly tls: TemporalTls | null
  readonly apiKey: string | null
}

/** Each in PEM form. */
export interface TemporalTls {
  /** Whom the server's certificate must come from; null for those that every program trusts. */
  readonly ca: string | null
  /** The name in the server's certificate where it is not the host of the address. */
  readonly serverName: string | null
  /** What we show to a server that asks who we are. */
  readonly client: { readonly certificate: string; readonly key: string } | null
}

export function readTemporal(read: Reader): TemporalConfig {
  const apiKey = read.text('TEMPORAL_API_KEY', '') || null
  const isOn = read.oneOf('TEMPORAL_TLS', ['on', 'off'], 'off') === 'on'
  const tls = readTls(read)
  const idle = isOn || apiKey !== null ? [] : tlsSettings.filter((name) => read.has(name))
  for (const name of idle) read.mistakes.push(`${name} is set, but TEMPORAL_TLS is not on.`)
  return {
    address: read.text('TEMPORAL_ADDRESS'),
    namespace: read.text('TEMPORAL_NAMESPACE', 'default'),
    // An API key never travels in plain text.
    tls: isOn || apiKey !== null ? tls : null,
    apiKey,
  }
}

const tlsSettings = ['TEMPORAL_TLS_CA', 'TEMPORAL_TLS_SERVER_NAME', 'TEMPORAL_TLS_CERT', 'TEMPORAL_TLS_KEY']

function readTls(read: Reader): TemporalTls {
  const ca = read.text('TEMPORAL_TLS_CA', '')
  if (ca !== '') requireCertificates(read, 'TEMPORAL_TLS_CA', ca)
  return { ca: ca || null, serverName: read.text('TEMPORAL_TLS_SERVER_NAME', '') || null, client: readClient(read) }
}

function readClient(read: Reader): TemporalTls['client'] {
  const [certificate, key] = [read.text('TEMPORAL_TLS_CERT', ''), read.text('TEMPORAL_TLS_KEY', '')]
  if (certificate === '' && key === '') return null
  if (certificate === '') read.mistakes.push('TEMPORAL_TLS_CERT is required where TEMPORAL_TLS_KEY is set.')
  if (key === '') read.mistakes.push('TEMPORAL_TLS_KEY is required where TEMPORAL_TLS_CERT is set.')
  const isCertificate = certificate !== '' && requireCertificates(read, 'TEMPORAL_TLS_CERT', certificate)
  const isKey = key !== '' && requirePrivateKey(read, 'TEMPORAL_TLS_KEY', key)
  if (isCertificate && isKey && !new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    read.mistakes.push('TEMPORAL_TLS_KEY is not the key of TEMPORAL_TLS_CERT.')
  return { certificate, key }
}

/** One or more: a chain, or several that are trusted. */
function requireCertificates(read: Reader, name: string, pem: string): boolean {
  const parts = pem.match(/-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs) ?? []
  const isGood = parts.length > 0 && parts.every((part) => isReadable(() => new X509Certificate(part)))
  if (!isGood) read.mistakes.push(`${name} must be a certificate in PEM form, or several one after the other.`)
  return isGood
}

function requirePrivateKey(read: Reader, name: string, pem: string): boolean {
  const isGood = isReadable(() => createPrivateKey(pem))
  if (!isGood) read.mistakes.push(`${name} must be a private key in PEM form, without a passphrase.`)
  return isGood
}

function isReadable(parse: () => unknown): boolean {
  try {
    parse()
    return true
  } catch {
    return false
  }
}

/** The Web UI shows the payouts of every partner, so its address is given out only where that is switched on. */
export function readTemporalUi(read: Reader): string | null {
  const url = read.optionalUrl('TEMPORAL_UI_URL')?.replace(/\/+$/, '') ?? null
  return read.oneOf('TEMPORAL_UI_LINK', ['on', 'off'], 'off') === 'on' ? url : null
}
