// The workflow as a careless change would leave it: it looks for silence first.
import * as activities from '../../../../workflows/activities'
import { proof as original, type Proving } from '../../../../workflows/controls/proof'
import type { Proved } from '../../../../workflows/controls/proof-steps'

export async function proof(proving: Proving): Promise<Proved> {
  await activities.proveSilence()
  return original(proving)
}
