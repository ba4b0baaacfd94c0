// I4 and I6, verified with the bank's own records: one transfer for each payout, no transfer without a payout, and
// equal wallet balances.
import type { Records } from './records'

export interface BankTransfer {
  readonly id: string
  readonly state: string
  readonly payoutId: string | null
  readonly sentMicroUsdc: bigint
  readonly receivedPence: bigint
  /** The Idempotency-Key of the request that created the transfer. */
  readonly key: string | null
}

export interface BankBooks {
  readonly transfers: readonly BankTransfer[]
  readonly balances: ReadonlyMap<string, bigint>
}

interface PayoutRow {
  readonly id: string
  readonly status: string
  readonly bankKey: string
  readonly transferRef: string | null
  readonly sends: string
  readonly pence: string
  readonly released: boolean
  readonly closed: boolean
}

export async function readBank(controlUrl: string): Promise<BankBooks> {
  const read = async (path: string): Promise<BankJson> => (await fetch(`${controlUrl}/_control${path}`)).json()
  const [transfers, wallets, keys] = [await read('/transfers'), await read('/wallets'), await keysOf(read)]
  return {
    transfers: transfers.data.map((each: BankJson) => ({
      id: each.id,
      state: each.state,
      payoutId: each.client_reference_id ?? null,
      sentMicroUsdc: units(each.source.amount, 6),
      receivedPence: units(each.destination.amount, 2),
      key: keys.get(each.id) ?? null,
    })),
    balances: new Map(wallets.data.map((each: BankJson) => [each.id, units(each.balance, 6)])),
  }
}

type BankJson = ReturnType<typeof JSON.parse>

/** Reads the Idempotency-Key of each transfer from the bank's journal. */
async function keysOf(read: (path: string) => Promise<BankJson>): Promise<Map<string, string>> {
  const keys = new Map<string, string>()
  for (let after = 0; ; ) {
    const { data } = await read(`/journal?after=${after}`)
    if (data.length === 0) return keys
    for (const { seq, puts } of data) {
      after = seq
      const made = puts.find(([name]: [string]) => name === 'transfers')?.[1]
      const key = puts.find(([name]: [string]) => name === 'remembered')?.[1]
      if (made && key) keys.set(made.id, key.id)
    }
  }
}

export async function bankRules(records: Records, bank: BankBooks, leftOpen: readonly string[]): Promise<string[]> {
  const payouts: PayoutRow[] = await records.query(`
    SELECT id::text, status, bank_key::text AS "bankKey", transfer_ref AS "transferRef", amount_pence::text AS pence,
      wallet_sends_micro_usdc::text AS sends, released_at IS NOT NULL AS released, closed_at IS NOT NULL AS closed
    FROM payouts WHERE rail <> 'simulated'`)
  const byPayout = new Map<string | null, BankTransfer[]>()
  for (const each of bank.transfers) byPayout.set(each.payoutId, [...(byPayout.get(each.payoutId) ?? []), each])
  const known = new Set(payouts.map(({ id }) => id))
  return [
    ...bank.transfers
      .filter(({ payoutId }) => payoutId === null || !known.has(payoutId))
      .map(({ id }) => `I4 transfer ${id} at the bank belongs to no payout`),
    ...payouts.flatMap((payout) => judge(payout, byPayout.get(payout.id) ?? [])),
    ...(leftOpen.length > 0 ? [] : await walletRules(records, bank)),
  ]
}

function judge(payout: PayoutRow, transfers: readonly BankTransfer[]): string[] {
  const about = `payout ${payout.id} (${payout.status})`
  const found: string[] = []
  if (transfers.length > 1) found.push(`I4 ${about} has ${transfers.length} transfers at the bank`)
  if (payout.released && transfers.length > 0) found.push(`I6 ${about} was refused and has a transfer at the bank`)
  const mustHave = payout.status === 'processing' || payout.status === 'completed' || payout.transferRef !== null
  if (mustHave && !transfers.some(({ id }) => id === payout.transferRef)) {
    found.push(`I4 ${about} has no transfer ${payout.transferRef} at the bank`)
  }
  for (const transfer of transfers) {
    if (transfer.key !== payout.bankKey) found.push(`I6 ${about} was paid with a key that is not its attempt's`)
    if (String(transfer.sentMicroUsdc) !== payout.sends) found.push(`I4 ${about} sends ${transfer.sentMicroUsdc}`)
    if (String(transfer.receivedPence) !== payout.pence) found.push(`I4 ${about} pays ${transfer.receivedPence}`)
    const expected = payout.closed ? endings[payout.status] : undefined
    if (expected && !expected.includes(transfer.state)) found.push(`I4 ${about} is ${transfer.state} at the bank`)
  }
  return found
}

/** The states that the bank's transfer may have when its payout is closed. */
const endings: Readonly<Record<string, readonly string[]>> = {
  completed: ['payment_processed', 'returned', 'refund_in_flight', 'refunded'],
  failed: ['refunded', 'canceled'],
  returned: ['refunded'],
  cancelled: [],
}

async function walletRules(records: Records, bank: BankBooks): Promise<string[]> {
  const wallets: { ref: string; balance: string }[] = await records.query(
    `SELECT wallet_ref AS ref, balance_micro_usdc::text AS balance FROM wallets
      WHERE wallet_ref IS NOT NULL AND rail <> 'simulated'`,
  )
  return wallets
    .filter(({ ref, balance }) => String(bank.balances.get(ref)) !== balance)
    .map(({ ref, balance }) => `I4 wallet ${ref} holds ${balance} here and ${bank.balances.get(ref)} at the bank`)
}

function units(text: string, places: number): bigint {
  const [whole = '0', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(places, '0').slice(0, places))
}
