// The workflow after a careless change: it waits before it opens the partner.
import { sleep } from '@temporalio/workflow'
import type { SignUp } from '../../../../workflows/partners/sign-up'
import { signUp as original } from '../../../../workflows/partners/sign-up'

export async function signUp(order: SignUp): Promise<string> {
  await sleep(1)
  return original(order)
}
