// Certificates for TLS tests. They are built here because Node can read certificates but not create them.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export interface Issued {
  readonly certificate: string
  readonly key: string
}

export interface Authority {
  /** The authority's own certificate, for clients and servers that trust it. */
  readonly certificate: string
  /** Issues a certificate for a server with these names, or for a client. */
  issue(name: string, ...more: string[]): Issued
}

export function makeAuthority(name: string): Authority {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = { name, privateKey }
  const isAuthority = extension('551d13', sequence(Buffer.from('0101ff', 'hex')))
  return {
    certificate: certificateOf({ name, publicKey, issuer, extensions: [isAuthority] }),
    issue: (subject, ...more) => {
      const own = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const names = [subject, ...more].map((each) => tagged(0x82, Buffer.from(each)))
      const extensions = [extension('551d11', sequence(...names))]
      return {
        certificate: certificateOf({ name: subject, publicKey: own.publicKey, issuer, extensions }),
        key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }
    },
  }
}

interface Wanted {
  readonly name: string
  readonly publicKey: KeyObject
  readonly issuer: { readonly name: string; readonly privateKey: KeyObject }
  readonly extensions: readonly Buffer[]
}

/** Builds a certificate according to RFC 5280, section 4.1, signed with ECDSA and SHA-256. */
function certificateOf({ name, publicKey, issuer, extensions }: Wanted): string {
  const body = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.from([1, ...randomBytes(8)])),
    ecdsaWithSha256,
    nameOf(issuer.name),
    sequence(time('20200101000000Z'), time('20991231235959Z')),
    nameOf(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  )
  const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', body, issuer.privateKey)]))
  const lines = sequence(body, ecdsaWithSha256, signature)
    .toString('base64')
    .match(/.{1,64}/g)
  return ['-----BEGIN CERTIFICATE-----', ...(lines ?? []), '-----END CERTIFICATE-----', ''].join('\n')
}

const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'))

function nameOf(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(objectId('550403'), tagged(0x0c, Buffer.from(commonName)))))
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(objectId(id), tagged(0x04, value))
}

function time(text: string): Buffer {
  return tagged(0x18, Buffer.from(text))
}

function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes)
}

function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts))
}

/** Encodes a DER value: type, length and bytes. */
function tagged(tag: number, bytes: Buffer): Buffer {
  const { length } = bytes
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), bytes])
}
