// The table of wallets, whose balance the database itself keeps at zero or above.
import { EntitySchema } from 'typeorm'
import { bigint, id, idOf, orNull, text, time, withDefault } from '../columns'
import type { WalletRow } from './wallets'

export interface StoredWallet extends WalletRow {
  /** What the bank calls the customer's verification. */
  readonly verificationRef: string | null
  readonly fundingRef: string | null
  readonly fundingSortCode: string | null
  readonly fundingAccountNumber: string | null
  readonly fundingHolderName: string | null
  readonly fundingBankName: string | null
  readonly historyReadTo: string | null
  readonly lowBalanceToldAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export const wallet = new EntitySchema<StoredWallet>({
  name: 'Wallet',
  tableName: 'wallets',
  columns: {
    id,
    partnerId: idOf('Partner'),
    environment: text,
    rail: text,
    chain: withDefault(text, 'base'),
    address: orNull(text),
    customerRef: orNull(text),
    walletRef: orNull(text),
    balanceMicroUsdc: withDefault(bigint, 0),
    createdAt: time,
    updatedAt: time,
    verificationRef: orNull(text),
    fundingRef: orNull(text),
    fundingSortCode: orNull(text),
    fundingAccountNumber: orNull(text),
    fundingHolderName: orNull(text),
    fundingBankName: orNull(text),
    historyReadTo: orNull(text),
    lowBalanceToldAt: orNull(time),
  },
})
