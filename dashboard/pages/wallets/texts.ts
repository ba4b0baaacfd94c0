// The texts of the Wallet and Top up pages.
import type { WalletEntry } from '../../api/types'

const kinds: Readonly<Record<WalletEntry['kind'], string>> = {
  topup: 'Top-up',
  payout: 'Payout',
  refund: 'Refund',
  return: 'Returned payout',
  adjustment: 'Adjustment',
}

export const texts = {
  balance: (usdc: string, gbp: string) => `${usdc} USDC (≈ ${gbp})`,
  topUp: 'Top up',
  statement: {
    title: 'Wallet',
    about: 'Money in and out',
    aboutBalance: (balance: string) => `Money in and out. Balance: ${balance}`,
    exportCsv: 'Export CSV',
    what: 'transactions',
    opening: 'Opening balance',
    closing: 'Closing balance',
    type: 'Type',
    kinds,
    label: 'Wallet statement',
    date: 'Date',
    description: 'Description',
    amount: 'Amount (USDC)',
    balance: 'Balance (USDC)',
    balanceOnPhone: 'balance',
    noneYet: 'No transactions yet',
    noneYetAbout: 'Top-ups, payouts and refunds appear here with a running balance.',
  },
  topUps: {
    about: (balance: string) => `Wallet balance: ${balance}`,
    testMoney: {
      title: 'Add test money',
      about: {
        sandbox: 'Added instantly. Test money has no value.',
        live: 'Arrives within a few seconds. Test money has no value.',
      },
      amount: 'Amount (USDC)',
      amountFault: 'Enter an amount such as 1000 or 250.50.',
      added: (usdc: string) => `${usdc} USDC of test money added`,
      sent: (usdc: string) => `${usdc} USDC of test money sent`,
    },
    usdc: {
      title: 'Send USDC',
      noAddress: 'No wallet address yet',
      noAddressAbout: {
        sandbox: 'The sandbox bank assigns one, usually within a minute.',
        live: 'You’ll get one when your business is verified.',
      },
      verification: 'Verification',
      qrCode: (address: string) => `QR code of the wallet address ${address}`,
      address: 'Address',
      network: 'Network',
      currency: 'Currency',
      usdc: 'USDC',
      only: (network: string) => `Send only USDC, and only on ${network}.`,
      test: 'This is a test address. Real money sent here will be lost.',
      lost: 'Anything else will be lost.',
    },
    bank: {
      title: 'Bank transfer',
      about: 'GBP sent to this account is converted to USDC on arrival.',
      holder: 'Account holder',
      sortCode: 'Sort code',
      accountNumber: 'Account number',
      bank: 'Bank',
      test: 'This is a test account. Real money sent here will be lost.',
    },
  },
} as const
