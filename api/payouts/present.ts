// A payout as the API returns it: schema, example, presenter and failure codes. Also presents recalls and traces.
import { Type } from 'typebox'
import type { CaseNote, CaseRow } from '../../db/payouts/cases/cases'
import type { PayoutRow } from '../../db/payouts/payouts'
import { formatPence, formatUsdc, penceFromMicropounds } from '../../domain/money'
import { caseStatusOf } from '../../domain/payouts/case'
import { createdVia, payoutStatuses } from '../../domain/payouts/payout'
import { type ReasonCode, reasons } from '../../rail/reasons'
import {
  Answer,
  Component,
  Constant,
  DateTime,
  EnvironmentName,
  MoneyString,
  Nullable,
  OneOf,
  Uuid,
} from '../http/schema'

const FeeBreakdown = Answer({
  taken_in_transfer_gbp: MoneyString({
    description: "The bank's share, which the wallet sends in addition to the amount.",
  }),
  on_monthly_invoice_gbp: MoneyString({ description: 'Charged only when a live payout is completed.' }),
})

export const payoutProperties = {
  id: Uuid(),
  object: Constant('payout'),
  environment: EnvironmentName,
  status: OneOf(payoutStatuses, {
    description:
      'pending: saved, not confirmed by the bank yet. processing: on its way. completed: in the account, and charged. ' +
      'failed, cancelled: not paid, not charged. returned: sent back by the recipient’s bank.',
  }),
  reference: Type.Optional(Nullable(Type.String())),
  country: Constant('GB'),
  amount_gbp: MoneyString({ description: 'The amount that the recipient receives.' }),
  fee_gbp: MoneyString({ description: 'The total fee: the two parts of fee_breakdown.' }),
  fee_breakdown: FeeBreakdown,
  wallet_sent_usdc: MoneyString(),
  recipient: Answer({ name: Nullable(Type.String()), account_last4: Nullable(Type.String()) }),
  failure_reason: Type.Optional(
    Nullable(
      Type.String({ description: 'A stable code followed by a sentence. Set when the payout failed or was returned.' }),
    ),
  ),
  created_at: DateTime(),
  updated_at: DateTime(),
  completed_at: Nullable(
    DateTime({
      description:
        'When the payout was completed. It determines the month of the charges, and does not change if the payout is returned.',
    }),
  ),
  created_via: OneOf(createdVia),
  idempotency_key: Type.String({
    description:
      'The Idempotency-Key of the request that created the payout. The dashboard sends a random key for each payout.',
  }),
}

export const Payout = Component('Payout', payoutProperties)

export const examplePayout = {
  id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56',
  object: 'payout',
  environment: 'sandbox',
  status: 'completed',
  reference: 'Invoice 1042',
  country: 'GB',
  amount_gbp: '120.00',
  fee_gbp: '2.19',
  fee_breakdown: { taken_in_transfer_gbp: '1.10', on_monthly_invoice_gbp: '1.09' },
  wallet_sent_usdc: '153.30',
  recipient: { name: 'Ada Lovelace', account_last4: '0008' },
  failure_reason: null,
  created_at: '2026-11-16T09:30:00.000Z',
  updated_at: '2026-11-16T09:31:00.000Z',
  completed_at: '2026-11-16T09:31:00.000Z',
  created_via: 'api',
  idempotency_key: 'order-1001',
}

export function presentPayout(payout: PayoutRow): Record<string, unknown> {
  return {
    id: payout.id,
    object: 'payout',
    environment: payout.environment,
    status: payout.status,
    reference: payout.reference,
    country: payout.country,
    amount_gbp: formatPence(payout.amountPence),
    fee_gbp: formatPence(payout.feePence),
    fee_breakdown: {
      taken_in_transfer_gbp: formatPence(payout.feeInTransferPence),
      on_monthly_invoice_gbp: formatPence(payout.feePence - payout.feeInTransferPence),
    },
    wallet_sent_usdc: formatUsdc(payout.walletSendsMicroUsdc),
    recipient: { name: payout.recipientName, account_last4: payout.accountLast4 },
    failure_reason: payout.failureReason,
    created_at: payout.createdAt.toISOString(),
    updated_at: payout.updatedAt.toISOString(),
    completed_at: payout.completedAt?.toISOString() ?? null,
    created_via: payout.createdVia,
    idempotency_key: payout.idempotencyKey,
  }
}

interface Failure {
  readonly meaning: string
  readonly cure: string
}

/** A failure with the sentence of the rail's reason, without its code. */
const failure = (code: ReasonCode, cure: string): Failure => ({ meaning: reasons[code].replace(/^\w+: /, ''), cure })

const askForDetails = 'Ask the recipient to check the account details.'
const askForAccount = 'Ask the recipient for another account.'

/** A payout that the bank refuses because of the paying business has the code `not_sent`. */
type FailureCode = Exclude<ReasonCode, 'partner_not_ready'> | 'account_rejected' | 'insufficient_funds' | 'not_sent'

/** Every code that a `failure_reason` can start with. The guide shows this table. */
export const failureTable: Readonly<Record<FailureCode, Failure>> = {
  invalid_account: failure('invalid_account', askForDetails),
  account_rejected: {
    meaning: 'The bank rejected the account before anything was sent. The sentence says why.',
    cure: askForDetails,
  },
  details_refused: failure('details_refused', 'Check the name and the address.'),
  name_mismatch: failure('name_mismatch', 'Ask for the name of the account holder, exactly as the bank has it.'),
  account_closed: failure('account_closed', askForAccount),
  account_switched: failure('account_switched', 'Ask the recipient for the new account details.'),
  account_inactive: failure('account_inactive', askForAccount),
  account_blocked: failure('account_blocked', 'Ask the recipient to contact their bank, or for another account.'),
  currency_not_accepted: failure('currency_not_accepted', 'Ask the recipient for an account in pounds.'),
  reference_required: failure('reference_required', 'Ask the recipient which reference their bank needs.'),
  recipient_deceased: failure('recipient_deceased', 'Do not pay this account again.'),
  recipient_refused: failure('recipient_refused', 'Ask the recipient why before you pay again.'),
  recalled: failure('recalled', 'Nothing, if you asked for the recall. Otherwise contact support.'),
  duplicate_payment: failure('duplicate_payment', 'Check whether the recipient was already paid.'),
  not_permitted: failure('not_permitted', 'Do not pay again. Contact support.'),
  bank_unavailable: failure('bank_unavailable', 'Pay again later.'),
  amount_rejected: failure('amount_rejected', 'Pay another amount, or contact support.'),
  quote_expired: failure('quote_expired', 'Pay again. The new payout gets the current rate.'),
  insufficient_funds: { meaning: 'The wallet balance was too low.', cure: 'Top up, then pay again.' },
  not_sent: {
    meaning: 'The bank did not accept the payout, so nothing was sent. The sentence says why.',
    cure: 'Pay again. If it fails again, contact support.',
  },
  bank_refused: {
    meaning: 'The bank gave no reason, or a reason code that we do not recognise.',
    cure: 'Ask the recipient to check with their bank, or contact support.',
  },
}

/** A recall or trace as the API and the ops CLI show it. */
export function presentCase(row: CaseRow, notes: readonly CaseNote[]) {
  const charge_gbp = row.resolvedAt === null ? null : formatPence(penceFromMicropounds(row.chargeMicropounds ?? 0n))
  return {
    object: 'case' as const,
    id: row.id,
    payout_id: row.payoutId,
    kind: row.kind,
    status: caseStatusOf(row),
    reason: row.reason,
    opened_by: row.openedBy,
    opened_at: row.openedAt.toISOString(),
    due_at: row.dueAt.toISOString(),
    resolved_at: row.resolvedAt?.toISOString() ?? null,
    outcome: row.outcome,
    charge_gbp,
    notes: notes.map(({ at, madeBy, note }) => ({ at: at.toISOString(), by: madeBy, note })),
  }
}
