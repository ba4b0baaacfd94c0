// Mails a partner's admins: one mail for each admin with all notices that belong together, queued in the transaction that takes the notices.
import type { Tx } from '../../db/database'
import { enqueueMail } from '../../db/partners/mails'
import { listMembers, type MemberRow } from '../../db/partners/members'
import {
  casesToTell,
  depositsToTell,
  listNoticeGroups,
  type NoticeGroup,
  payoutsToTell,
  takeNotices,
} from '../../db/partners/notices'
import { findPartnerById, type PartnerRow } from '../../db/partners/partners'
import { clearLowBalances, reportLowBalances } from '../../db/wallets/live'
import { assert } from '../../domain/assert'
import { formatPence, formatUsdcDown, formatUsdcExactly } from '../../domain/money'
import { type NoticeContent, noticeMessage } from '../../mail/messages/notice'
import type { NoticesSent } from '../../workflows/partners/notices'
import type { ActivityDeps } from '../bind'

type NoticeDeps = Pick<ActivityDeps, 'db' | 'clock' | 'log' | 'keyring' | 'publicUrl'>

const atOnceInAMail = 1_000
/** After this the mail is of no use. */
const keepForMs = 3 * 24 * 60 * 60 * 1000

export async function checkLowBalances(
  { db, clock }: Pick<NoticeDeps, 'db' | 'clock'>,
  { limit }: { readonly limit: number },
): Promise<number> {
  await clearLowBalances(db)
  return reportLowBalances(db, { at: clock.now(), limit })
}

export async function sendNotices(deps: NoticeDeps, { limit }: { readonly limit: number }): Promise<NoticesSent> {
  const groups = await listNoticeGroups(deps.db, limit)
  let [told, mails, failed] = [0, 0, 0]
  for (const group of groups) {
    try {
      const sent = await deps.db.transaction((tx) => tell(tx, deps, group))
      told += sent.told
      mails += sent.mails
    } catch (error) {
      failed += 1
      deps.log.error({ err: error, partner_id: group.partnerId, kind: group.kind }, 'cannot mail admins')
    }
  }
  // If every group failed, the next page would be the same one.
  return { told, mails, failed, more: told > 0 && groups.length === limit }
}

async function tell(tx: Tx, deps: NoticeDeps, group: NoticeGroup): Promise<{ told: number; mails: number }> {
  const at = deps.clock.now()
  const abouts = await takeNotices(tx, group, { at, limit: atOnceInAMail })
  const partner = await findPartnerById(tx, group.partnerId)
  assert(partner !== null, 'a notice is about a partner')
  const told = abouts.length
  const isMuted = group.kind !== 'first_payout' && partner.mutedMails.includes(group.kind)
  const isWanted = group.environment === 'live' && !isMuted
  const content = isWanted && told > 0 ? await contentOf(tx, group, partner, abouts) : null
  if (content === null) return { told, mails: 0 }

  const admins = (await listMembers(tx, partner.id)).filter(isTold)
  const { name, verificationStatus: verification } = partner
  for (const { email: address } of admins) {
    const mail = noticeMessage({ address, partner: name, verification, publicUrl: deps.publicUrl, content })
    const expiresAt = new Date(at.getTime() + keepForMs)
    await enqueueMail(tx, deps.keyring, { kind: 'notice', mail, at, expiresAt })
  }
  return { told, mails: admins.length }
}

/** A member who has never signed in may be a stranger: anyone can type an address (docs/decisions/sign-in/confirm-codes.md). */
function isTold({ role, lastLoginAt }: MemberRow): boolean {
  return role === 'admin' && lastLoginAt !== null
}

const listedAtMost = 20

/** The details that a mail contains. A long list is cut and its length stated. Null if nothing is left to report. */
async function contentOf(
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
      // The partner may have switched it off since.
      const { lowBalanceMicroUsdc } = partner
      if (lowBalanceMicroUsdc === null) return null
      const balanceUsdc = formatUsdcDown(BigInt(last))
      return { kind: group.kind, balanceUsdc, thresholdUsdc: formatUsdcExactly(lowBalanceMicroUsdc) }
    }
    case 'verification':
      return { kind: group.kind, status: last, reasons: last === 'rejected' ? partner.verificationReasons : [] }
  }
}
