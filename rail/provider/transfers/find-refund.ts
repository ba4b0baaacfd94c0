// Looks in a wallet's history for what one transfer brought back, no further than that transfer can be.
import { RailUnavailable, type Refund, type WalletMovement, type WalletRefs } from '../../rail'
import { part } from '../ask'
import type { Client } from '../client'
import { readList } from '../lists'
import { readHistoryRow } from '../map'
import { isBefore } from './find'

export interface WantedRefund extends WalletRefs {
  readonly transferRef: string
  readonly since: Date
}

/** Newest first, so that a refund of now is on the first page however much the wallet has seen before. */
export async function findRefund(client: Client, wanted: WantedRefund): Promise<Refund | null> {
  let refund: WalletMovement | null = null
  const { complete } = await readList(client, {
    name: 'wallet history',
    path: `/wallets/${part(wanted.walletRef)}/history`,
    read: readHistoryRow,
    isPast(movement) {
      if (movement.kind === 'deposit' && movement.transferRef === wanted.transferRef) refund = movement
      return refund !== null || (movement.at !== null && isBefore(movement.at, wanted.since))
    },
  })
  return read(refund, complete)
}

/** A list that moved under the reader may have had it: that is trouble, and not "nothing came back". */
function read(refund: WalletMovement | null, complete: boolean): Refund | null {
  if (refund !== null) return { amountMicroUsdc: refund.amountMicroUsdc, movementRef: refund.id }
  if (!complete) throw new RailUnavailable('wallet history')
  return null
}
