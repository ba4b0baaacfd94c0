// Opens the partner of a sign-up. The details stay encrypted in the database under the ID of the code.
import { proxyLocalActivities } from '@temporalio/workflow'
import { requireFields } from '../input'

export interface SignUp {
  readonly codeId: string
}

export interface SignUpActivities {
  /** Opens the partner and stores its ID with the code, in one transaction. Returns the ID. Idempotent. */
  openSignedUp(order: SignUp): Promise<string>
}

/** A caller waits, so the first retry comes soon. Retries until the sign-up has expired. */
const { openSignedUp } = proxyLocalActivities<SignUpActivities>({
  startToCloseTimeout: '20 seconds',
  localRetryThreshold: '1 second',
  retry: { initialInterval: '100 ms', backoffCoefficient: 2, maximumInterval: '10 seconds' },
})

/** Returns the partner's ID. */
export async function signUp(order: SignUp): Promise<string> {
  requireFields(order, { codeId: 'id' })
  return openSignedUp(order)
}
