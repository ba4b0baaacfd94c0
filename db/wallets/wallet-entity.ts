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
  indices: [
    {
      name: 'wallets_ref_unique',
      columns: ['environment', 'walletRef'],
      unique: true,
      where: 'wallet_ref IS NOT NULL',
    },
    {
      name: 'wallets_customer_unique',
      columns: ['environment', 'customerRef'],
      unique: true,
      where: 'customer_ref IS NOT NULL',
    },
    {
      name: 'wallets_verification_unique',
      columns: ['environment', 'verificationRef'],
      unique: true,
      where: 'verification_ref IS NOT NULL',
    },
  ],
  uniques: [{ name: 'wallets_partner_unique', columns: ['partnerId', 'environment'] }],
  checks: [
    { name: 'wallets_environment_check', expression: `environment IN ('sandbox', 'live')` },
    {
      name: 'wallets_rail_check',
      expression: `(environment = 'live' AND rail = 'provider_production')
        OR (environment = 'sandbox' AND rail IN ('provider_sandbox', 'simulated'))`,
    },
    { name: 'wallets_balance_check', expression: 'balance_micro_usdc >= 0' },
  ],
})
