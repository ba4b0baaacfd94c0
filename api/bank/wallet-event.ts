// An event about money in a wallet: a reason to read that wallet's history, from which alone anything is booked.
import type { ReceivedEvent } from '../../db/bank/events'
import { findWalletIdByRef } from '../../db/wallets/readings'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'

export async function walletEvent(event: ReceivedEvent, deps: ApiDeps): Promise<string> {
  const { environment, objectRef, objectState } = event
  // What leaves a wallet is a payout's, which has its own events; one for each payout would be read for nothing.
  if (objectState === 'withdrawal') return 'not_needed'
  const walletId = objectRef === null ? null : await findWalletIdByRef(deps.db, environment, objectRef)
  // A wallet that is being connected is read when it is.
  if (walletId === null) return 'unknown_wallet'
  try {
    await deps.workflows.readWallet(walletId)
    return 'told'
  } catch (error) {
    deps.log.warn({ err: error, wallet_id: walletId }, 'an event of the bank could not be passed on')
    throw new ApiError('service_unavailable')
  }
}
