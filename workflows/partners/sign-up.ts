// Opens the partner that somebody has signed up for; what they said stays in the database, sealed, under the id of their code.
import * as activities from '../activities'
import { requireFields } from '../input'
import type { SignUp } from './sign-up-steps'

/** Answers the partner's id. */
export async function signUp(order: SignUp): Promise<string> {
  requireFields(order, { codeId: 'id' })
  return activities.openSignedUp(order)
}
