// Lists the transfers out of a wallet since a time, including those that are not payouts or are partly unreadable.
import type { ListedTransfer, WalletRefs } from '../../rail'
import { part } from '../ask'
import type { Client } from '../client'
import { dateAt, optionalTextAt, textAt, valueAt } from '../fields'
import { readWholeList } from '../lists'
import { isBefore } from './find'

export async function transfersSince(
  client: Client,
  { customerRef, walletRef, since }: WalletRefs & { since: Date | null },
): Promise<ListedTransfer[]> {
  const rows = await readWholeList(client, {
    name: 'list transfers',
    path: `/customers/${part(customerRef)}/transfers`,
    read: (row) => ({
      listed: { ref: textAt(row, 'id'), payoutId: optionalTextAt(row, 'client_reference_id') },
      from: valueAt(row, 'source.bridge_wallet_id'),
      createdAt: dateAt(row, 'created_at'),
    }),
    isPast: ({ createdAt }) => since !== null && isBefore(createdAt, since),
  })
  return [...rows.values()].flatMap(({ listed, from }) => (from === walletRef ? [listed] : []))
}
