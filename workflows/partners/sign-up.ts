// Opens the partner for a sign-up. The workflow history contains no details of the sign-up: they are stored encrypted,
// with the emailed code.
import { requireFields } from '../input'
import { localActivities } from '../proxies'

export interface SignUp {
  readonly codeId: string
}

export interface SignUpActivities {
  /** Opens the partner and stores its ID with the code, in one transaction. Returns the ID. Idempotent. */
  openSignedUp(order: SignUp): Promise<string>
}

/** A caller waits, so the first retry comes soon. The workflow's own timeout ends the retries. */
const { openSignedUp } = localActivities<SignUpActivities>('20 seconds', { first: '100 ms', longest: '10 seconds' })

/** Returns the partner's ID. */
export async function signUp(order: SignUp): Promise<string> {
  requireFields(order, { codeId: 'id' })
  return openSignedUp(order)
}
