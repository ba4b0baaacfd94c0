// Signs webhooks: RSA-SHA256 over the SHA-256 of "<t>.<body>", hashed twice as by the real bank.
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { promisify } from 'node:util'

const signInBackground = promisify(sign)

export function createKeyPair(): { publicKey: string; privateKey: string } {
  return generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
}

export async function signatureHeader(body: string, atMs: number, privateKey: string): Promise<string> {
  const digest = createHash('sha256').update(`${atMs}.${body}`).digest()
  const signature = await signInBackground('RSA-SHA256', digest, privateKey)
  return `t=${atMs},v0=${signature.toString('base64')}`
}
