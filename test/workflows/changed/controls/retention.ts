// The workflow as a careless change would leave it: events go before bank details.
import * as activities from '../../../../workflows/activities'
import { type Erased, type Erasing, retention as original } from '../../../../workflows/controls/retention'

export async function retention(erasing: Erasing): Promise<Erased> {
  await activities.eraseBankEvents({ limit: 1 })
  return original(erasing)
}
