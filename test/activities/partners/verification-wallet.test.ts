// A verified business's live wallet is connected once, together with its charge and its notice, despite crashes
// and concurrent runs.
import { beforeEach, describe, expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import type { Db } from '../../../db/database'
import { RailUnavailable } from '../../../rail/rail'
import { lost, useVerification } from './a-verification'

const stage = useVerification()
const { atBank, begin, charges, check, clock, connect, db, notices } = stage
const { now, open, partner, rail, say, wallet, withRail } = stage

describe('connecting the wallet', () => {
  beforeEach(async () => {
    await open()
    await say({ status: 'approved', tos_status: 'approved' })
  })

  test('stores the wallet, deposit address, bank account, charge, activity and notice together', async () => {
    expect(await connect()).toEqual({ status: 'approved', ready: false })

    const held = await atBank()
    expect(held).toMatchObject({ wallets: [{}], liquidation_addresses: [{}], virtual_accounts: [{}] })
    const account = held.virtual_accounts[0].source_deposit_instructions
    expect(await wallet()).toMatchObject({
      rail: 'provider_production',
      wallet_ref: held.wallets[0].id,
      address: held.liquidation_addresses[0].address,
      funding_ref: held.virtual_accounts[0].id,
      funding_sort_code: account.sort_code,
      funding_account_number: account.account_number,
      funding_holder_name: 'Acme Ltd',
      funding_bank_name: 'Sandbox Bank',
    })
    expect(await now()).toMatchObject({
      verificationStatus: 'approved',
      screening: 'clear',
      continueUrl: null,
      liveOpenedAt: expect.any(Date),
    })
    expect(await charges()).toEqual(['39000000'])
    expect(await notices()).toEqual(['approved'])
    expect(await latestActivity(db, partner.id, 1)).toMatchObject([{ action: 'partner.approve', madeBy: 'bank' }])
  })

  test('takes effect once, even when it runs twice concurrently', async () => {
    await Promise.all([connect(), connect()])
    const first = await wallet()
    expect(await connect()).toEqual({ status: 'approved', ready: false })

    expect(await wallet()).toEqual(first)
    expect(await charges()).toEqual(['39000000'])
    expect(await notices()).toEqual(['approved'])
    const actions = (await latestActivity(db, partner.id, 20)).map(({ action }) => action)
    expect(actions.filter((action) => action === 'partner.approve')).toHaveLength(1)
  })

  test.each(['createWallet', 'depositAddress', 'bankFunding'] as const)(
    'creates nothing twice after a crash at %s, even on another day',
    async (step) => {
      const killed = withRail({ [step]: (wanted: never) => rail[step](wanted).then(lost) })
      await expect(killed.connectLiveWallet({ partnerId: partner.id })).rejects.toThrow(RailUnavailable)
      expect(await now()).toMatchObject({ liveOpenedAt: null })
      expect(await charges()).toEqual([])

      const tomorrow = { now: () => new Date(clock.now().getTime() + 86_400_000) }
      await withRail({}, { clock: tomorrow }).connectLiveWallet({ partnerId: partner.id })

      expect(await now()).toMatchObject({ verificationStatus: 'approved' })
      const held = await atBank()
      expect(held).toMatchObject({ wallets: [{}], liquidation_addresses: [{}], virtual_accounts: [{}] })
    },
  )

  test('changes nothing in our database when it crashes just before its commit', async () => {
    const killed: Db = {
      ...db,
      transaction: (work) =>
        db.transaction(async (tx) => {
          await work(tx)
          throw new Error('killed')
        }),
    }
    await expect(withRail({}, { db: killed }).connectLiveWallet({ partnerId: partner.id })).rejects.toThrow('killed')
    expect(await wallet()).toMatchObject({ wallet_ref: null, funding_ref: null, address: null })
    expect(await now()).toMatchObject({ verificationStatus: 'pending', liveOpenedAt: null })
    expect([await charges(), await notices()]).toEqual([[], []])

    expect(await connect()).toEqual({ status: 'approved', ready: false })
    expect(await charges()).toEqual(['39000000'])
  })

  test('adds a bank account, without a charge, to a wallet that was connected before bank accounts existed', async () => {
    await connect()
    const before = await wallet()
    await db.dataSource.query(`UPDATE wallets SET funding_ref = NULL, address = NULL WHERE id = $1`, [before.id])

    expect(await check()).toEqual({ status: 'approved', ready: true })
    expect(await connect()).toEqual({ status: 'approved', ready: false })

    expect(await wallet()).toMatchObject({ funding_ref: before.funding_ref, address: before.address })
    expect(await charges()).toHaveLength(1)
  })

  test('keeps the first bank account, even if the bank returns a second one to a concurrent run', async () => {
    const late = withRail({
      bankFunding: async (wanted) => {
        await connect()
        return { ...(await rail.bankFunding(wanted)), fundingRef: 'another', accountNumber: '00000000' }
      },
    })

    expect(await late.connectLiveWallet({ partnerId: partner.id })).toEqual({ status: 'approved', ready: false })

    const [{ id, source_deposit_instructions: account }] = (await atBank()).virtual_accounts
    expect(await wallet()).toMatchObject({ funding_ref: id, funding_account_number: account.account_number })
  })

  test('does not charge again when a wallet is connected again', async () => {
    await connect()
    await db.dataSource.query(`UPDATE wallets SET wallet_ref = NULL, funding_ref = NULL WHERE partner_id = $1`, [
      partner.id,
    ])

    await connect()

    expect(await wallet()).toMatchObject({ wallet_ref: expect.any(String) })
    expect(await charges()).toEqual(['39000000'])
  })

  test('charges a business and opens its live mode once, even if the bank pauses and approves it again', async () => {
    await connect()
    const { liveOpenedAt } = await now()
    await say({ status: 'paused' })
    expect(await check()).toEqual({ status: 'in_review', ready: false })
    expect(await now()).toMatchObject({ screening: 'blocked', providerStatus: 'paused' })
    await say({ status: 'approved' })
    expect(await check()).toEqual({ status: 'approved', ready: false })

    expect(await now()).toMatchObject({ screening: 'clear', liveOpenedAt })
    expect(await charges()).toEqual(['39000000'])
    expect(await notices()).toEqual(['approved', 'approved'])
  })

  test('does not allow another verification after the bank has offboarded the business', async () => {
    await connect()
    await say({ status: 'offboarded' })

    expect(await check()).toEqual({ status: 'rejected', ready: false })
    expect(await begin()).toEqual({ outcome: 'invalid_state', status: 'rejected' })
  })
})
