// Commands that show payouts and handle those that need attention, with a real database.
import { describe, expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { setAttention } from '../../../db/payouts/steps'
import { postSet } from '../../../db/wallets/ledger'
import { findWallet } from '../../../db/wallets/wallets'
import { debitPostings } from '../../../domain/wallets/ledger'
import { systemClock } from '../../../runtime/clock'
import { withoutRandom } from '../../support/personal'
import { aClaim } from '../../support/stages/payout'
import { oneSentence, useOpsPartner, useTerminal } from '../../support/terminal'

interface Waiting {
  readonly id: string
  readonly since: string
  readonly [field: string]: string
}

const terminal = useTerminal()
const partner = useOpsPartner(terminal)

const account = '71234567'

async function aWaiting(code: string): Promise<string> {
  const { payoutId } = await aClaim(terminal.db, {
    partnerId: partner.id,
    idempotencyKey: `order-${partner.slug}`,
    accountNumber: account,
  })
  await setAttention(terminal.db, payoutId, code)
  return payoutId
}

const waiting = async () => (await terminal.json<{ data: Waiting[] }>('payout', 'attention')).data

describe('payout attention', () => {
  test('lists payouts that need an operator, with their time and next step, the longest waiting first', async () => {
    const before = systemClock.now().getTime()
    const first = await aWaiting('outcome_unknown')

    const [listed] = (await waiting()).filter(({ id }) => id === first)

    expect(listed).toEqual({
      id: first,
      partner: partner.slug,
      environment: 'sandbox',
      status: 'pending',
      amount_gbp: '120.00',
      attention: 'outcome_unknown',
      since: expect.any(String),
      next_step: expect.stringMatching(/^The bank.*Do not pay again/),
    })
    expect(Math.abs(new Date(listed?.since ?? 0).getTime() - before)).toBeLessThan(60_000)
    const times = (await waiting()).map(({ since }) => since)
    expect(times).toEqual(times.toSorted())
  })

  test('prints one line per payout, and each next step once', async () => {
    await aWaiting('bank_says_in_review')

    const { code, out } = await terminal.ops('payout', 'attention')

    expect(code).toBe(0)
    expect(out).toMatch(/^ID +SINCE +PARTNER +ENVIRONMENT +STATUS +GBP +ATTENTION\n/)
    expect(out.match(/^bank_says_in_review: The bank /gm)).toHaveLength(1)
  })

  test('reports a code that is raised again after it was cleared, but reports a repeated code once', async () => {
    const id = await aWaiting('outcome_unknown')
    await setAttention(terminal.db, id, 'outcome_unknown')
    await terminal.ops('payout', 'attended', '--payout', id, '--note', 'asked the bank')
    await setAttention(terminal.db, id, 'outcome_unknown')

    expect(await eventsOf(id)).toEqual(['requested', 'attention', 'attended', 'attention'])
  })
})

describe('payout show', () => {
  test('shows the status, the timeline and the money, without a name or an account', async () => {
    const id = await aWaiting('debit_missing')
    const wallet = await findWallet(terminal.db, partner.id, 'sandbox')
    const about = { walletId: wallet?.id ?? '', cause: 'debit', causeRef: `${id}/1`, payoutId: id, createdBy: 'payout' }
    await postSet(terminal.db, { ...about, at: systemClock.now(), postings: debitPostings(153_300_000n) })

    const shown = await terminal.json<Record<string, unknown>>('payout', 'show', '--payout', id)
    const { out } = await terminal.ops('payout', 'show', '--payout', id.toUpperCase())

    expect(shown).toMatchObject({
      id,
      partner: partner.slug,
      status: 'pending',
      attention: 'debit_missing',
      amount_gbp: '120.00',
      wallet_sent_usdc: '153.30',
      account_last4: '4567',
      attempt: '1',
      bank_reference: null,
      workflow_id: `payout/sandbox/${partner.id}/order-${partner.slug}`,
      events: [{ event: 'requested' }, { event: 'attention', detail: 'debit_missing' }],
      ledger: [
        { cause: 'debit', account: 'wallet', usdc: '-153.300000' },
        { cause: 'debit', account: 'in_transit', usdc: '153.300000' },
      ],
    })
    expect(out).toContain(`workflow_id        payout/sandbox/${partner.id}/order-${partner.slug}\n`)
    for (const text of [JSON.stringify(shown), out])
      expect(withoutRandom(text)).not.toMatch(/Ada|Lovelace|71234567|200415/)
  })

  test('shows a refused attempt with the status refused', async () => {
    const id = await aWaiting('bank_insufficient')
    await terminal.db.dataSource.query(
      `UPDATE payouts SET released_at = now(), verdict = 'payout_not_created', verdict_at = now() WHERE id = $1`,
      [id],
    )

    const shown = await terminal.json<Record<string, unknown>>('payout', 'show', '--payout', id)

    expect(shown).toMatchObject({ status: 'refused', attention: 'bank_insufficient' })
  })

  test('is refused for an unknown payout', async () => {
    const { code, err } = await terminal.ops('payout', 'show', '--payout', partner.id)

    expect([code, err]).toEqual([2, `There is no payout ${partner.id}.\n`])
  })
})

describe('payout attended', () => {
  const attend = (id: string, ...more: string[]) =>
    terminal.ops('payout', 'attended', '--payout', id, '--note', 'The bank said by phone: it is there', ...more)

  test('removes the payout from the list and records the operator and a note, which the partner does not see', async () => {
    const id = await aWaiting('outcome_unknown')

    const { code, out } = await attend(id)

    expect([code, out]).toEqual([0, 'The attention outcome_unknown of the payout is cleared.\n'])
    expect((await waiting()).map((each) => each.id)).not.toContain(id)
    const [entry] = await latestActivity(terminal.db, partner.id, 1)
    expect(entry).toMatchObject({
      action: 'payout.attend',
      environment: 'sandbox',
      detail: id,
      changes: 'something',
      madeBy: expect.stringMatching(/^ops:\S+$/),
    })
    const shown = await terminal.json<{ events: unknown[] }>('payout', 'show', '--payout', id)
    expect(shown.events.at(-1)).toMatchObject({
      event: 'attended',
      by: expect.stringMatching(/^ops:\S+$/),
      detail: 'outcome_unknown: The bank said by phone: it is there',
    })
  })

  test('is refused for an unknown payout or one without attention, and changes nothing', async () => {
    const id = await aWaiting('outcome_unknown')
    await attend(id)

    const again = await attend(id)
    const none = await attend(partner.id)

    expect([again.code, none.code]).toEqual([2, 2])
    for (const { err } of [again, none]) expect(err).toMatch(oneSentence)
    expect(await eventsOf(id)).toEqual(['requested', 'attention', 'attended'])
  })

  test('takes effect once when two operators run it concurrently', async () => {
    const id = await aWaiting('outcome_unknown')

    const codes = (await Promise.all([attend(id), attend(id)])).map(({ code }) => code)

    expect(new Set(codes)).toEqual(new Set([0, 2]))
    expect(await eventsOf(id)).toEqual(['requested', 'attention', 'attended'])
  })
})

async function eventsOf(payoutId: string): Promise<string[]> {
  const rows: { kind: string }[] = await terminal.db.dataSource.query(
    'SELECT kind FROM payout_events WHERE payout_id = $1 ORDER BY id',
    [payoutId],
  )
  return rows.map(({ kind }) => kind)
}
