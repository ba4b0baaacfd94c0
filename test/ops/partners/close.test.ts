// partner close, with the real API: when it is refused, which access it ends, and which members can still read.
import { describe, expect, test } from '@jest/globals'
import { connectLiveWallet, openLiveCustomer } from '../../../activities/partners/verification/customer'
import { latestActivity } from '../../../db/controls/activity'
import { closePartner, findPartnerBySlug, lockPartnerToStop, type PartnerRow } from '../../../db/partners/partners'
import { setAttention } from '../../../db/payouts/steps'
import { holdDeposit } from '../../../db/wallets/held-deposits'
import { postSet } from '../../../db/wallets/ledger'
import { findWallet } from '../../../db/wallets/wallets'
import { topUpPostings } from '../../../domain/wallets/ledger'
import { simulatedRail } from '../../../rail/simulated'
import { systemClock } from '../../../runtime/clock'
import { aKey, aPartner, aPayoutRow, aSession } from '../../support/api/fixtures'
import { aCode, aMember, signIn, tokenOf, useMailedApi } from '../../support/api/people'
import { aClaim, movableClock } from '../../support/stages/payout'
import { useTerminal } from '../../support/terminal'
import { until } from '../../support/until'

const terminal = useTerminal()
const clock = movableClock()
const { api, inbox } = useMailedApi(() => ({ database: terminal.env.DATABASE_URL, clock }))

const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
const close = ({ slug }: PartnerRow, ...more: string[]) =>
  terminal.ops('partner', 'close', '--partner', slug, '--reason', 'They asked for it', ...more)

describe('partner close', () => {
  test('revokes keys, ends sessions, is recorded, and has no effect the second time', async () => {
    const partner = await aPartner(api)
    const keys = [await aKey(api, partner, 'sandbox'), await aKey(api, partner, 'live')]
    const session = await aSession(api, partner)

    const first = await close(partner)
    const shown = await terminal.json<Record<string, string>>('partner', 'show', '--partner', partner.slug)
    const second = await close(partner)

    expect(first.out).toMatch(
      new RegExp(`^${partner.slug} is closed. Keys revoked: 2. Sessions ended: 1. Its admins can sign in and read`),
    )
    expect([second.code, second.out]).toEqual([0, expect.stringContaining('is already closed')])
    const [until, closed] = [shown['readable_until'], shown['closed_at']].map((each) => new Date(each ?? '').getTime())
    expect([shown['status'], (until ?? 0) - (closed ?? 0)]).toEqual(['closed', 90 * 86_400_000])
    for (const key of keys) expect((await api.get('/v1/account', { key })).status).toBe(401)
    expect((await api.get('/v1/account', { session })).status).toBe(401)
    expect((await api.get(`/v1/public/partners/${partner.slug}`)).status).toBe(404)
    const entries = await latestActivity(terminal.db, partner.id, 50)
    expect(entries.filter(({ action }) => action === 'partner.close')).toEqual([
      expect.objectContaining({
        madeBy: expect.stringMatching(/^ops:/),
        changes: 'something',
        detail: 'They asked for it (keys revoked: 2, sessions ended: 1)',
      }),
    ])
    const key = await terminal.ops('key', 'create', '--partner', partner.slug, '--environment', 'sandbox')
    expect([key.code, key.err]).toEqual([2, expect.stringContaining('is closed and cannot get new keys')])
  })

  test('lets admins sign in and read, but not write, until the printed date, and does not let viewers sign in', async () => {
    const partner = await aPartner(api)
    const [admin, viewer] = [await aMember(api, partner), await aMember(api, partner, { role: 'viewer' })]
    const viewerCode = await aCode(api, inbox, viewer.email)
    await close(partner)

    const signedIn = await signIn(api, admin.email, await aCode(api, inbox, admin.email))
    const session = tokenOf(signedIn)
    const reads = ['/v1/account', '/v1/payouts', '/v1/invoices', '/v1/activity', '/v1/members', '/v1/wallet/entries']
    const read = await Promise.all(reads.map((path) => api.get(path, { session })))
    const writes = [
      await api.post('/v1/keys', { environment: 'sandbox' }, { session }),
      await api.post('/v1/members', { email: 'new@people.test', role: 'viewer' }, { session }),
      await api.send('DELETE', `/v1/members/${viewer.id}`, undefined, { session }),
      await api.post('/v1/payouts/01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a59/cancel', {}, { session }),
    ]

    expect([signedIn.status, signedIn.body['partner']]).toEqual([201, expect.objectContaining({ status: 'closed' })])
    expect(read.map(({ status }) => status)).toEqual(reads.map(() => 200))
    expect(writes.map(({ status, body }) => [status, body.error?.code])).toEqual(
      writes.map(() => [403, 'partner_not_active']),
    )
    expect((await signIn(api, viewer.email, viewerCode)).status).toBe(401)

    await terminal.db.dataSource.query('UPDATE partners SET readable_until = $2 WHERE id = $1', [
      partner.id,
      clock.now(),
    ])
    expect((await api.get('/v1/account', { session })).status).toBe(401)
  })

  test('is refused with a list of all unfinished business, and changes nothing', async () => {
    const partner = await aPartner(api)
    const key = await aKey(api, partner, 'sandbox')
    const { payoutId } = await aClaim(terminal.db, { partnerId: partner.id })
    const done = await aPayoutRow(api, partner, { closedAt: systemClock.now() })
    await setAttention(terminal.db, done.id, 'bank_contradicts_returned')
    await terminal.db.dataSource.query(
      `INSERT INTO cases (id, payout_id, kind, reason, opened_by, opened_at, due_at)
        VALUES (gen_random_uuid(), $1, 'trace', 'not there', 'ops:test', now(), now())`,
      [done.id],
    )
    const wallet = await findWallet(terminal.db, partner.id, 'live')
    const [walletId, at] = [wallet?.id ?? '', systemClock.now()]
    await terminal.db.transaction((tx) =>
      holdDeposit(tx, { walletId, bankRef: 'mv_1', amountMicroUsdc: null, why: 'unreadable_amount', at }),
    )
    const about = {
      walletId,
      cause: 'deposit',
      causeRef: 'mv_2',
      bankRef: 'mv_2',
      payoutId: null,
      createdBy: 'test',
      at,
    }
    await postSet(terminal.db, { ...about, postings: topUpPostings(1_370_001n) })

    const { code, err } = await close(partner)

    expect([code, err]).toEqual([
      2,
      `${partner.slug} cannot be closed yet: 1 payout is still open (refunds and returns count); 1 payout waits for an ` +
        'operator; 1 case is open; 1 deposit is held; its live wallet holds 1.370001 USDC.\n',
    ])
    expect(payoutId).not.toBe('')
    expect((await findPartnerBySlug(terminal.db, partner.slug))?.status).toBe('active')
    expect((await api.get('/v1/account', { key })).status).toBe(200)
  })

  test('leaves an unpayable remainder in the wallet only if the command names its exact amount', async () => {
    const partner = await aPartner(api)
    const wallet = await findWallet(terminal.db, partner.id, 'live')
    const about = { cause: 'deposit', causeRef: 'mv_3', bankRef: 'mv_3', payoutId: null, createdBy: 'test' }
    const walletId = wallet?.id ?? ''
    await postSet(terminal.db, { ...about, walletId, at: systemClock.now(), postings: topUpPostings(500_000n) })

    const wrong = await close(partner, '--remaining', '0.49')
    const right = await close(partner, '--remaining', '0.50')

    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('its live wallet holds 0.50 USDC')])
    expect(right.code).toBe(0)
    expect((await latestActivity(terminal.db, partner.id, 1))[0]?.detail).toContain('0.50 USDC left')
  })

  test('makes a concurrent payout claim wait, and then refuses it', async () => {
    const partner = await aPartner(api)
    let commit = () => {}
    const isHeld = new Promise<void>((resume) => {
      commit = resume
    })
    const closing = api.db.transaction(async (tx) => {
      await lockPartnerToStop(tx, partner.slug)
      await closePartner(tx, { id: partner.id, at: clock.now(), readableUntil: clock.now() })
      await isHeld
    })
    // The claim's statement begins before the closing transaction commits, and waits for that transaction.
    const claiming = aClaim(api.db, { partnerId: partner.id }).catch((error: Error) => error.message)
    await until('the claim waits', async () => (await api.db.dataSource.query(waiting)).length > 0)
    commit()
    await closing

    expect(await claiming).toBe('partner_not_active')
    await expect(aClaim(api.db, { partnerId: partner.id })).rejects.toThrow('partner_not_active')
  })

  test('ends a verification without opening a live account or charging for it', async () => {
    const partner = await aPartner(api, { verificationStatus: 'in_review' })
    await close(partner)
    const log = { error: () => {} }
    const deps = { db: terminal.db, clock, rail: simulatedRail, madeBy: 'bank', log, redirectUrl: null }

    const opened = await openLiveCustomer(deps, { partnerId: partner.id })
    const connected = await connectLiveWallet(deps, { partnerId: partner.id })

    const ended = { status: 'rejected', ready: false }
    expect([opened, connected]).toEqual([ended, ended])
    const charges = await terminal.db.dataSource.query('SELECT id FROM charges WHERE partner_id = $1', [partner.id])
    expect([charges, (await findPartnerBySlug(terminal.db, partner.slug))?.liveOpenedAt]).toEqual([[], null])
    const approved = await terminal.ops('partner', 'approve', '--partner', partner.slug)
    expect([approved.code, approved.err]).toEqual([2, `${partner.slug} is closed and cannot be approved.\n`])
  })
})
