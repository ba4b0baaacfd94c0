// Looks up what a mail says of that which its notices are about; a long list is cut, and its length told.
import type { Tx } from '../../../db/database'
import { casesToTell, depositsToTell, payoutsToTell } from '../../../db/partners/notice-details'
import type { NoticeGroup } from '../../../db/partners/notices'
import type { PartnerRow } from '../../../db/partners/partners'
import { formatPence, formatUsdcDown, formatUsdcExactly } from '../../../domain/money'
import type { NoticeContent } from '../../../mail/messages/notice'

const listedAtMost = 20

/** Null when there is nothing left to tell. */
export async function contentOf(
  tx: Tx,
  group: NoticeGroup,
  partner: PartnerRow,
  abouts: readonly string[],
): Promise<NoticeContent | null> {
  const last = abouts.at(-1) ?? ''
  const count = abouts.length
  const listed = abouts.slice(0, listedAtMost)
  switch (group.kind) {
    case 'payout_failed':
    case 'payout_returned': {
      const payouts = await payoutsToTell(tx, group, listed)
      const items = payouts.map((payout) => ({
        payoutId: payout.payoutId,
        amountGbp: formatPence(payout.amountPence),
        recipientName: payout.recipientName ?? 'a recipient',
        accountLast4: payout.accountLast4 ?? '????',
        reason: payout.failureReason,
      }))
      return { kind: group.kind, count, items }
    }
    case 'first_payout': {
      const payouts = await payoutsToTell(tx, group, listed)
      const items = payouts.map(({ payoutId, amountPence, createdBy }) => ({
        payoutId,
        amountGbp: formatPence(amountPence),
        by: createdBy,
      }))
      return { kind: group.kind, count, items }
    }
    case 'top_up': {
      const amounts = await depositsToTell(tx, group, listed)
      return { kind: group.kind, count, amountsUsdc: amounts.map(formatUsdcExactly) }
    }
    case 'case': {
      const cases = await casesToTell(tx, group, listed)
      const items = cases.map(({ payoutId, kind, outcome, amountPence }) => ({
        payoutId,
        kind,
        outcome: outcome ?? 'open',
        amountGbp: formatPence(amountPence),
      }))
      return { kind: group.kind, count, items }
    }
    case 'low_balance': {
      // They may have switched it off meanwhile.
      const { lowBalanceMicroUsdc } = partner
      if (lowBalanceMicroUsdc === null) return null
      const balanceUsdc = formatUsdcDown(BigInt(last))
      return { kind: group.kind, balanceUsdc, thresholdUsdc: formatUsdcExactly(lowBalanceMicroUsdc) }
    }
    case 'verification':
      return { kind: group.kind, status: last, reasons: last === 'rejected' ? partner.verificationReasons : [] }
  }
}
