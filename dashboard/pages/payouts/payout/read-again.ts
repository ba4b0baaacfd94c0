// After something was done with a payout: it, what happened to it and the wallet are read again.
import type { QueryClient } from '@tanstack/react-query'

const touched = ['payout', 'payouts', 'payout-events', 'payout-cases', 'balance', 'wallet-entries']

export async function readAgain(queryClient: QueryClient): Promise<void> {
  await Promise.all(touched.map((name) => queryClient.invalidateQueries({ queryKey: [name] })))
}
