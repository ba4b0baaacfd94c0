// A payout as the API returns it: schema, example and presenter.
import { Type } from 'typebox'
import type { CaseNote, CaseRow } from '../../db/payouts/cases/cases'
import type { PayoutRow } from '../../db/payouts/payouts'
import { formatPence, formatUsdc, penceFromMicropounds } from '../../domain/money'
import { caseStatusOf } from '../../domain/payouts/case'
import { createdVia, payoutStatuses } from '../../domain/payouts/payout'
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
  }
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
