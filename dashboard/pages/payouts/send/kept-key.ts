// Under which Idempotency-Key a payout of unknown outcome was sent, kept for this tab until the outcome is known.
import type { Environment } from '../../../api/types'

/** Nothing of the payout itself is kept: no name, no account, no amount. */
export interface Place {
  readonly partnerId: string
  readonly environment: Environment
}

const nameOf = ({ partnerId, environment }: Place) => `unknown-payout:${partnerId}:${environment}`

/** A browser may forbid the storage; then the open page alone knows. */
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
    // Then the open page alone knows.
  }
}

export function forgetKey(place: Place): void {
  try {
    sessionStorage.removeItem(nameOf(place))
  } catch {
    // Then nothing was kept.
  }
}
