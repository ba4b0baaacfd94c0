// An event about money in a wallet: nobody reads the wallet's history for it yet.
import type { ReceivedEvent } from '../../db/bank-events'
import type { ApiDeps } from '../deps'

export async function walletEvent(_event: ReceivedEvent, _deps: ApiDeps): Promise<string> {
  return 'not_needed'
}
