// Keeps secrets of development out of production.
import type { BankConfig } from './bank'
import { isProduction } from './production'
import type { Reader, SecretKey } from './reader'

interface Secrets {
  readonly secretKeys: readonly SecretKey[]
  readonly bank: BankConfig
  readonly databaseUrl: string
}

/** Whoever has read this repository, or the data folder of a trial, could open what such a secret seals. */
export function refuseDevelopmentSecrets(read: Reader, secrets: Secrets): void {
  if (!isProduction(read)) return
  const refuse = (name: string, why: string) => read.mistakes.push(`${name} ${why}: production refuses it.`)
  for (const { id, bytes } of secrets.secretKeys) {
    if (id.startsWith('local')) refuse('SECRET_KEYS', `has a key, ${id}, that npm start made`)
    // Of 32 random bytes about 30 differ.
    else if (new Set(bytes).size < 16) refuse('SECRET_KEYS', `has a key, ${id}, that is not random`)
  }
  for (const environment of ['sandbox', 'live'] as const) {
    const key = secrets.bank[environment]?.key.replace(/^sk-(test|live)-/, '')
    const name = `BANK_${environment.toUpperCase()}_KEY`
    if (key?.startsWith('local-')) refuse(name, 'was made by npm start')
    else if (key && key.length < 16) refuse(name, 'is an example')
  }
  if (!URL.canParse(secrets.databaseUrl)) return
  const { password, searchParams } = new URL(secrets.databaseUrl)
  if (examplePasswords.includes(password.toLowerCase())) refuse('DATABASE_URL', 'has the password of an example')
  // By a certificate, or by who we are on this machine, one comes without.
  const needsNone = searchParams.has('sslcert') || searchParams.get('host')?.startsWith('/')
  if (password === '' && !needsNone) refuse('DATABASE_URL', 'has no password')
}

const examplePasswords = ['postgres', 'password', 'payouts', 'secret', 'example', 'changeme', 'temporal']
