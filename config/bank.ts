// The banks: one for each environment, or none.
import type { Reader } from './reader'

export interface BankConfig {
  readonly sandbox: BankAccess | null
  readonly live: BankAccess | null
}

export interface BankAccess {
  /** With the version of the protocol behind it, such as http://127.0.0.1:8300/v0. */
  readonly url: string
  readonly key: string
}

export function readBank(read: Reader): BankConfig {
  const access = (environment: 'SANDBOX' | 'LIVE'): BankAccess | null => {
    const url = read.optionalUrl(`BANK_${environment}_URL`)
    return url === null ? null : { url: url.replace(/\/+$/, ''), key: read.text(`BANK_${environment}_KEY`) }
  }
  return { sandbox: access('SANDBOX'), live: access('LIVE') }
}
