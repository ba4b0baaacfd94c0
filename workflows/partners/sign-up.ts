// Opens the partner of a sign-up. The details stay encrypted in the database under the ID of the code.
import { requireFields } from '../input'
import { localActivities } from '../proxies'

export interface SignUp {
  readonly codeId: string
}

export interface SignUpActivities {
  /** Opens the partner and stores its ID with the code, in one transaction. Returns the ID. Idempotent. */
  openSignedUp(order: SignUp): Promise<string>
}

/** A caller waits, so the first retry comes soon. Retries until the sign-up has expired. */
const { openSignedUp } = localActivities<SignUpActivities>('20 seconds', { first: '100 ms', longest: '10 seconds' })

/** Returns the partner's ID. */
export async function signUp(order: SignUp): Promise<string> {
  requireFields(order, { codeId: 'id' })
  return openSignedUp(order)
}
