// A test payout's row, with the values that the API would store.
import { randomBytes, randomUUID } from 'node:crypto'
import type { Db } from '../../../db/database'
import { newId } from '../../../db/id'
import { payout, type StoredPayout } from '../../../db/payouts/payout'
import type { WalletRow } from '../../../db/wallets/wallets'
import { at, aWallet } from './a-partner'

export async function aPayout(
  db: Db,
  fields: Partial<StoredPayout> = {},
  from: WalletRow | null = null,
): Promise<StoredPayout> {
  const row = { ...aPendingRow(from ?? (await aWallet(db)), at), ...fields }
  await db.dataSource.getRepository(payout).insert(row)
  return row
}

/** A sandbox payout of 120.00 GBP that is not acknowledged yet. */
export function aPendingRow(wallet: WalletRow, at: Date): StoredPayout {
  return {
    id: newId(at),
    partnerId: wallet.partnerId,
    environment: 'sandbox',
    walletId: wallet.id,
    rail: 'simulated',
    idempotencyKey: `order-${randomUUID()}`,
    attempt: 1,
    fingerprint: randomBytes(32),
    fingerprintKeyId: 'k1',
    fieldFingerprints: {},
    status: 'pending',
    failureReason: null,
    reference: null,
    country: 'GB',
    createdVia: 'api',
    createdBy: 'key:kp_sandbox_00000000',
    amountPence: 12_000n,
    feePence: 219n,
    feeInTransferPence: 110n,
    walletSendsMicroUsdc: 153_300_000n,
    gbpPerUsdNano: 790_000_000n,
    recipientName: 'Ada Lovelace',
    accountLast4: '5678',
    accountHash: null,
    accountHashKeyId: null,
    bankKey: randomUUID(),
    bankKeyRenewals: 0,
    bankBody: null,
    transferRef: null,
    transferState: null,
    submitStartedAt: null,
    verdict: null,
    verdictAt: null,
    verdictDetails: null,
    answeredAt: null,
    releasedAt: null,
    completedAt: null,
    returnedAt: null,
    networkCostMicropounds: null,
    closedAt: null,
    attention: null,
    customerRef: null,
    requestId: null,
    createdAt: at,
    updatedAt: at,
  }
}
