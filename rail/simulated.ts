// The built-in bank for a sandbox that is not connected to a bank yet. It runs in process and is stateless.

import { assert } from '../domain/assert'
import { type Clock, systemClock } from '../runtime/clock'
import { type Rail, RailUnavailable, type Transfer, type TransferOrder, type Verification } from './rail'
import { reasons } from './reasons'

/** All partners that are not connected share these refs. */
export const simulatedRefs = {
  verificationRef: 'sim_verification',
  customerRef: 'sim_customer',
  walletRef: 'sim_wallet',
}

export function createSimulatedRail({ clock }: { clock: Clock }): Rail {
  return {
    rate: async () => ({ gbpPerUsdNano: 790_000_000n, midNano: 790_000_000n, updatedAt: clock.now() }),

    openCustomer: async () => ({ outcome: 'opened', verification: approved }),
    findCustomer: async () => approved,
    verification: async () => approved,
    createWallet: async ({ chain }) => ({ walletRef: simulatedRefs.walletRef, chain, address: null }),
    wallets: async () => [],
    // This bank stores nothing. Only our ledger has the balance of a simulated wallet.
    wallet: () => Promise.reject(new RailUnavailable('wallet of the simulated bank')),
    // A simulated wallet receives no money from outside.
    depositAddress: () => Promise.reject(new RailUnavailable('deposit address of the simulated bank')),
    bankFunding: () => Promise.reject(new RailUnavailable('bank funding of the simulated bank')),
    walletHistory: async () => [],
    findRefund: async () => null,

    registerRecipient: async ({ recipient }) => ({
      outcome: 'registered',
      recipientRef: recipient.accountNumber.endsWith('0000') ? refusing : paying,
    }),
    transferBody: (order) => refOf(order),
    submit: async ({ body }) => ({ outcome: 'accepted', transfer: transferAt('first', body, clock) }),
    transfer: async (ref) => transferAt('settled', ref, clock),
    payoutOf: async (ref) => transferAt('settled', ref, clock).payoutId,
    // This bank's responses are never lost, so no lookup is needed.
    findTransfer: async () => ({ outcome: 'absent' }),
    async *changedSince() {},
    transfersSince: async () => [],

    registerWebhook: () => Promise.reject(new RailUnavailable('webhooks of the simulated bank')),
    enableWebhook: async () => 'absent',
    disableWebhook: async () => {},
  }
}

export const simulatedRail: Rail = createSimulatedRail({ clock: systemClock })

const approved: Verification = {
  verificationRef: simulatedRefs.verificationRef,
  customerRef: simulatedRefs.customerRef,
  providerStatus: 'approved',
  termsAccepted: true,
  paysGbp: true,
  continueUrl: null,
  termsUrl: null,
  reasons: [],
}

const paying = 'sim_recipient'
const refusing = 'sim_recipient_0000'

/** The transfer's ref encodes its whole state, so this bank is stateless and survives restarts. */
function refOf({ payoutId, sendsMicroUsdc, recipientRef }: TransferOrder): string {
  return `sim_transfer/${payoutId}/${sendsMicroUsdc}/${recipientRef === refusing ? 'refused' : 'paid'}`
}

const states = {
  first: { paid: ['payment_submitted', 'under_way'], refused: ['undeliverable', 'undeliverable'] },
  settled: { paid: ['payment_processed', 'delivered'], refused: ['refunded', 'refunded'] },
} as const

/** At the first poll, a transfer is already delivered or refunded. */
function transferAt(moment: keyof typeof states, ref: string, clock: Clock): Transfer {
  const [, payoutId = null, sent, fate] = /^sim_transfer\/([^/]+)\/(\d+)\/(paid|refused)$/.exec(ref) ?? []
  assert(
    sent !== undefined && (fate === 'paid' || fate === 'refused'),
    'a simulated transfer must have a simulated ref',
  )
  const [state, status] = states[moment][fate]
  return {
    ref,
    payoutId,
    state,
    status,
    sentMicroUsdc: BigInt(sent),
    wasDelivered: status === 'delivered',
    refundedMicroUsdc: status === 'refunded' ? BigInt(sent) : null,
    reason: fate === 'refused' ? reasons.invalid_account : null,
    networkCostMicropounds: null,
    createdAt: null,
    updatedAt: clock.now(),
  }
}
