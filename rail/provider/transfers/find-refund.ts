// Finds the refund of a transfer in the wallet's history, reading back no further than the transfer.
import { RailUnavailable, type Refund, type WalletMovement, type WalletRefs } from '../../rail'
import { part } from '../ask'
import type { Client } from '../client'
import { readList } from '../lists'
import { readHistoryRow } from '../map'
import { isBefore } from './find'

interface WantedRefund extends WalletRefs {
  readonly transferRef: string
  readonly since: Date
}

/** Newest first, so that a new refund is on the first page of a long history. */
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

/** A list that shifted while being read may have contained it, so this throws instead of returning "no refund". */
function read(refund: WalletMovement | null, complete: boolean): Refund | null {
  if (refund !== null) return { amountMicroUsdc: refund.amountMicroUsdc, movementRef: refund.id }
  if (!complete) throw new RailUnavailable('wallet history')
  return null
}
