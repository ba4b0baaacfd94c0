// Payout requests, each with its own Idempotency-Key, to a small set of recipients that earlier requests have paid.
import { postText } from '../load'

const recipients = 50
let sent = 0

interface PayoutRequestText {
  readonly key: string
  readonly text: string
}

/** Rotates through the secrets. */
export function nextPayout(secrets: readonly string[]): PayoutRequestText {
  sent += 1
  const key = `bench-${process.pid}-${sent}`
  return { key, text: payoutText(key, secrets[sent % secrets.length] ?? '', sent % recipients) }
}

export function payoutText(key: string, secret: string, recipient: number): string {
  const headers = { Authorization: `Bearer ${secret}`, 'Idempotency-Key': key }
  return postText({ path: '/v1/payouts', headers }, JSON.stringify(bodyFor(recipient)))
}

export function bodyFor(recipient: number): object {
  return {
    amount_gbp: '1.00',
    reference: 'Invoice 1042',
    recipient: {
      first_name: 'Ada',
      last_name: 'Lovelace',
      address: { line1: '12 St James Square', city: 'London', postal_code: 'SW1Y 4JH' },
      bank: { bank_name: 'Barclays', sort_code: '200415', account_number: String(10_000_001 + recipient) },
    },
  }
}
