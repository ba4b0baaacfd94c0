// Emails notices to a partner's admins. Each admin gets one email per group of related notices. The transaction that
// marks the notices as handled also queues the email. Notices wait until the partner has an address that can receive
// them.
import type { Tx } from '../../db/database'
import { enqueueNotice } from '../../db/partners/mails'
import { listMembers } from '../../db/partners/members'
import {
  listNoticeGroups,
  loadNoticeCases,
  loadNoticeDeposits,
  loadNoticePayouts,
  type NoticeGroup,
  takeNotices,
} from '../../db/partners/notices'
import { findPartnerById, type PartnerRow } from '../../db/partners/partners'
import { clearLowBalances, reportLowBalances } from '../../db/wallets/live'
import { assert } from '../../domain/assert'
import { formatPence, formatUsdcDown, formatUsdcExactly } from '../../domain/money'
import { canStart } from '../../domain/partners/verification'
import { type NoticeContent, type NoticeReaders, noticeMessage } from '../../mail/messages/notice'
import type { NoticesSent } from '../../workflows/partners/notices'
import type { ActivityDeps } from '../bind'

type NoticeDeps = Pick<ActivityDeps, 'db' | 'clock' | 'log' | 'keyring' | 'publicUrl'>

const atOnceInAMail = 1_000

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
  // If this page handled no notice, the next page would contain the same groups.
  return { told, mails, failed, more: told > 0 && groups.length === limit }
}

async function tell(tx: Tx, deps: NoticeDeps, group: NoticeGroup): Promise<{ told: number; mails: number }> {
  const at = deps.clock.now()
  const partner = await findPartnerById(tx, group.partnerId)
  assert(partner !== null, 'the partner row must exist')
  const { sentTo, addresses } = await readersOf(tx, partner)
  if (addresses.length === 0) return { told: 0, mails: 0 }

  const abouts = await takeNotices(tx, group, { at, limit: atOnceInAMail })
  const told = abouts.length
  const isMuted = group.kind !== 'first_payout' && partner.mutedMails.includes(group.kind)
  const isWanted = group.environment === 'live' && !isMuted
  const content = isWanted && told > 0 ? await contentOf(tx, group, partner, abouts) : null
  if (content === null) return { told, mails: 0 }

  const { name, verificationStatus: verification } = partner
  for (const address of addresses) {
    const mail = noticeMessage({ address, sentTo, partner: name, verification, publicUrl: deps.publicUrl, content })
    await enqueueNotice(tx, deps.keyring, { mail, at })
  }
  return { told, mails: addresses.length }
}

interface Readers {
  readonly sentTo: NoticeReaders
  readonly addresses: readonly string[]
}

/**
 * Returns the addresses of the admins who have signed in. Any other admin's address may belong to a stranger, because
 * it is unconfirmed (docs/decisions/sign-in/confirm-codes.md). Before the first sign-in, the emails go to the contact
 * address. Until then, only an operator or a sign-up with an emailed code can have set that address.
 */
async function readersOf(tx: Tx, { id, contactEmail }: PartnerRow): Promise<Readers> {
  const members = await listMembers(tx, id)
  const admins = members.filter(({ role, lastLoginAt }) => role === 'admin' && lastLoginAt !== null)
  if (admins.length > 0) return { sentTo: 'admins', addresses: admins.map(({ email }) => email) }
  return { sentTo: 'contact', addresses: contactEmail === null ? [] : [contactEmail] }
}

const listedAtMost = 20

/** Truncates a long list; the email states how many items it shows. Returns null if nothing is left to report. */
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
      const payouts = await loadNoticePayouts(tx, group, listed)
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
      const payouts = await loadNoticePayouts(tx, group, listed)
      const items = payouts.map(({ payoutId, amountPence, createdBy }) => ({
        payoutId,
        amountGbp: formatPence(amountPence),
        by: createdBy,
      }))
      return { kind: group.kind, count, items }
    }
    case 'top_up': {
      const amounts = await loadNoticeDeposits(tx, group, listed)
      return { kind: group.kind, count, amountsUsdc: amounts.map(formatUsdcExactly) }
    }
    case 'case': {
      const cases = await loadNoticeCases(tx, group, listed)
      const items = cases.map(({ payoutId, kind, outcome, amountPence }) => ({
        payoutId,
        kind,
        outcome: outcome ?? 'open',
        amountGbp: formatPence(amountPence),
      }))
      return { kind: group.kind, count, items }
    }
    case 'low_balance': {
      // The partner may have disabled this kind of notice in the meantime.
      const { lowBalanceMicroUsdc } = partner
      if (lowBalanceMicroUsdc === null) return null
      const balanceUsdc = formatUsdcDown(BigInt(last))
      return { kind: group.kind, balanceUsdc, thresholdUsdc: formatUsdcExactly(lowBalanceMicroUsdc) }
    }
    case 'verification':
      return {
        kind: group.kind,
        status: last,
        reasons: last === 'rejected' ? partner.verificationReasons : [],
        canRetry: canStart('rejected', partner.providerStatus),
      }
  }
}
