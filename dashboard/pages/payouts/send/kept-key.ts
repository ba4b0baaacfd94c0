// Stores the Idempotency-Key of a payout with an unknown outcome, for this tab, until the outcome is known.
import type { Environment } from '../../../api/types'

/** Identifies a stored key. Only the key is stored: no name, no account, no amount. */
export interface Place {
  readonly partnerId: string
  readonly environment: Environment
}

const nameOf = ({ partnerId, environment }: Place) => `unknown-payout:${partnerId}:${environment}`

/** If the browser forbids storage, only the open page has the key. */
export function keptKey(place: Place): string | null {
  try {
    return sessionStorage.getItem(nameOf(place))
  } catch {
    return null
  }
}

export function keepKey(place: Place, key: string): void {
  try {
    sessionStorage.setItem(nameOf(place), key)
  } catch {
    // Only the open page then has the key.
  }
}

export function forgetKey(place: Place): void {
  try {
    sessionStorage.removeItem(nameOf(place))
  } catch {
    // Nothing was stored.
  }
}
