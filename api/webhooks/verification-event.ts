// An event about a customer or their verification: nobody asks the bank for it yet.
import type { ReceivedEvent } from '../../db/bank-events'
import type { ApiDeps } from '../deps'

export async function verificationEvent(_event: ReceivedEvent, _deps: ApiDeps): Promise<string> {
  return 'not_needed'
}
