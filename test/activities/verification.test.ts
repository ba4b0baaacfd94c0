// The steps of a verification, one by one: each stores what the bank says at once, and may be repeated at any point.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createVerificationSteps } from '../../activities/verification'
import type { VerificationDeps } from '../../activities/verification/deps'
import { systemClock } from '../../clock'
import { latestActivity } from '../../db/activity'
import { type Db, openDatabase } from '../../db/database'
import { findPartnerById, type PartnerRow } from '../../db/partners'
import { beginVerification } from '../../db/verification'
import type { ProviderRail } from '../../rail/provider'
import { RailUnavailable } from '../../rail/rail'
import { aPartner } from '../api/fixtures'
import { railTo } from '../rail/a-connected-partner'
import { type Json, keys, openTestBank, type TestBank } from '../sandbox-bank/bank-client'
import { createDatabase, type TestDatabase } from '../setup/database'

const clock = systemClock
const redirectUrl = 'http://payouts.test/dashboard/verification'
let database: TestDatabase
let db: Db
let bank: TestBank
let rail: ProviderRail
let partner: PartnerRow
let logged: unknown[]

beforeAll(async () => {
  database = await createDatabase()
  db = await openDatabase({ url: database.url, poolSize: 5, onError: () => undefined })
  bank = await openTestBank({ fsync: 'off' })
  rail = railTo(bank.url, { apiKey: keys.live })
})

beforeEach(async () => {
  logged = []
  partner = await aPartner({ db, clock }, { verificationStatus: 'not_started' })
})

afterAll(async () => {
  rail.close()
  await bank.close()
  await db.close()
  await database.drop()
})

describe('opening the customer', () => {
  test('stores who it is at the bank, where verification stands and where people go on', async () => {
    expect(await open()).toEqual({ status: 'pending', ready: false })

    const [customer] = await customers()
    expect(await wallet()).toMatchObject({ customer_ref: customer.customer_id, verification_ref: customer.id })
    expect(await now()).toMatchObject({
      verificationStatus: 'pending',
      providerStatus: 'not_started',
      screening: 'in_review',
      continueUrl: customer.kyc_link,
      termsUrl: customer.tos_link,
      liveOpenedAt: null,
    })
    expect(new URL(customer.kyc_link).searchParams.get('redirect_uri')).toBe(redirectUrl)
    expect(await notices()).toEqual([])
  })

  test('again, and by two at once, is one customer', async () => {
    await Promise.all([open(), open()])
    await open()

    expect(await customers()).toHaveLength(1)
  })

  test('that was killed between the bank and us finds the same customer', async () => {
    const killed = withRail({ openCustomer: (customer) => rail.openCustomer(customer).then(lost) })
    await expect(killed.openLiveCustomer({ partnerId: partner.id })).rejects.toThrow(RailUnavailable)
    expect(await now()).toMatchObject({ verificationStatus: 'not_started' })

    expect(await open()).toEqual({ status: 'pending', ready: false })
    expect(await customers()).toHaveLength(1)
  })

  test('by two who ask the bank for two different ones uses the one that was stored first, in all that is shown', async () => {
    const late = withRail(
      {
        openCustomer: async (customer) => {
          await open()
          return rail.openCustomer(customer)
        },
      },
      { redirectUrl: null },
    )

    await late.openLiveCustomer({ partnerId: partner.id })

    expect(await customers()).toHaveLength(2)
    const first = (await customers()).find(({ kyc_link }) => kyc_link.includes('redirect_uri'))
    expect(await wallet()).toMatchObject({ verification_ref: first.id, customer_ref: first.customer_id })
    expect(await now()).toMatchObject({ continueUrl: first.kyc_link, termsUrl: first.tos_link })
  })

  test('a bank that does not answer is trouble, and nothing has changed', async () => {
    const away = withRail({ openCustomer: () => Promise.reject(new RailUnavailable('open customer')) })

    await expect(away.openLiveCustomer({ partnerId: partner.id })).rejects.toThrow(RailUnavailable)
    expect(await now()).toEqual(partner)
  })
})

describe('what the bank says', () => {
  test('step by step: action required, in review, ready; admins hear of what they must do', async () => {
    await open()
    await say({ status: 'incomplete' })
    expect(await check()).toEqual({ status: 'action_required', ready: false })
    expect(await check()).toEqual({ status: 'action_required', ready: false })
    await say({ status: 'under_review' })
    expect(await check()).toEqual({ status: 'in_review', ready: false })
    await say({ status: 'approved' })
    expect(await check()).toEqual({ status: 'action_required', ready: false })
    expect(await now()).toMatchObject({ termsUrl: expect.stringContaining('/terms/'), screening: 'clear' })
    await say({ status: 'approved', tos_status: 'approved' })
    expect(await check()).toEqual({ status: 'in_review', ready: true })

    expect(await now()).toMatchObject({ termsUrl: null, liveOpenedAt: null })
    expect(await notices()).toEqual(['action_required', 'action_required'])
  })

  test('approved without pounds is in review, and no wallet is made', async () => {
    await open()
    await say({ status: 'approved', tos_status: 'approved' })
    const noPounds = withRail({ verification: async (ref) => ({ ...(await rail.verification(ref)), paysGbp: false }) })

    expect(await noPounds.connectLiveWallet({ partnerId: partner.id })).toEqual({ status: 'in_review', ready: false })
    expect(await wallet()).toMatchObject({ wallet_ref: null })
  })

  test('a word that nobody knows is shown, changes nothing else, and is reported once', async () => {
    await open()
    const odd = withRail({
      verification: async (ref) => ({ ...(await rail.verification(ref)), providerStatus: 'levitating' }),
    })

    await odd.checkLiveCustomer({ partnerId: partner.id })
    expect(await odd.checkLiveCustomer({ partnerId: partner.id })).toEqual({ status: 'pending', ready: false })

    expect(await now()).toMatchObject({ verificationStatus: 'pending', providerStatus: 'levitating' })
    expect(logged).toEqual([{ partner_id: partner.id, state: 'levitating' }])
  })

  test('a refusal shows its reasons, is tried again, and a new one is a new refusal', async () => {
    await open()
    await say({ status: 'rejected', reason: 'The company could not be found.', developer_reason: 'secret' })
    expect(await check()).toEqual({ status: 'rejected', ready: false })
    expect(await now()).toMatchObject({
      verificationReasons: ['The company could not be found.'],
      screening: 'blocked',
    })

    expect(await begin()).toMatchObject({ outcome: 'begun' })
    expect(await check()).toEqual({ status: 'action_required', ready: false })
    expect(await now()).toMatchObject({ continueUrl: expect.stringContaining('/kyc/') })
    await say({ status: 'rejected', reason: 'An owner could not be verified.' })
    expect(await check()).toEqual({ status: 'rejected', ready: false })

    expect(await notices()).toEqual(['rejected', 'rejected'])
  })

  test('only one of two who start at once has started', async () => {
    const begun = await Promise.all([begin(), begin()])

    expect(begun.map(({ outcome }) => outcome).toSorted()).toEqual(['begun', 'invalid_state'])
  })
})

describe('connecting the wallet', () => {
  beforeEach(async () => {
    await open()
    await say({ status: 'approved', tos_status: 'approved' })
  })

  test('brings wallet, deposit address, bank account, charge, account, activity and notice at once', async () => {
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

  test('again, and by two at once, is once', async () => {
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
    'that was killed after %s makes nothing twice, also on another day',
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

  test('that is killed just before its commit has done nothing here', async () => {
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

  test('a wallet that was connected before there were bank accounts gets one, and nothing is charged for it', async () => {
    await connect()
    const before = await wallet()
    await db.dataSource.query(`UPDATE wallets SET funding_ref = NULL, address = NULL WHERE id = $1`, [before.id])

    expect(await check()).toEqual({ status: 'approved', ready: true })
    expect(await connect()).toEqual({ status: 'approved', ready: false })

    expect(await wallet()).toMatchObject({ funding_ref: before.funding_ref, address: before.address })
    expect(await charges()).toHaveLength(1)
  })

  test('what was connected first stays, whatever a second one brings', async () => {
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

  test('a wallet that is connected once more, for whatever reason, is not charged once more', async () => {
    await connect()
    await db.dataSource.query(`UPDATE wallets SET wallet_ref = NULL, funding_ref = NULL WHERE partner_id = $1`, [
      partner.id,
    ])

    await connect()

    expect(await wallet()).toMatchObject({ wallet_ref: expect.any(String) })
    expect(await charges()).toEqual(['39000000'])
  })

  test('paused and approved again: the truth each time, charged and opened once', async () => {
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

  test('sent away for good is rejected, blocked, and can not be tried again', async () => {
    await connect()
    await say({ status: 'offboarded' })

    expect(await check()).toEqual({ status: 'rejected', ready: false })
    expect(await begin()).toEqual({ outcome: 'invalid_state', status: 'rejected' })
  })
})

/** The answer never comes; what was asked for is done. */
function lost(): never {
  throw new RailUnavailable('lost on its way')
}

function withRail(changed: Partial<VerificationDeps['rail']>, other: Partial<VerificationDeps> = {}) {
  const log = { error: (about: unknown) => void logged.push(about) } as VerificationDeps['log']
  return createVerificationSteps({
    db,
    clock,
    log,
    rail: { ...rail, ...changed },
    redirectUrl,
    madeBy: 'bank',
    ...other,
  })
}

const open = () => withRail({}).openLiveCustomer({ partnerId: partner.id })
const check = () => withRail({}).checkLiveCustomer({ partnerId: partner.id })
const connect = () => withRail({}).connectLiveWallet({ partnerId: partner.id })
const begin = () => db.transaction((tx) => beginVerification(tx, partner.id, clock.now()))

async function now(): Promise<PartnerRow> {
  const row = await findPartnerById(db, partner.id)
  if (row === null) throw new Error('the partner has vanished')
  return row
}

async function wallet(): Promise<Json> {
  const [row] = await db.dataSource.query(`SELECT * FROM wallets WHERE partner_id = $1 AND environment = 'live'`, [
    partner.id,
  ])
  return row
}

/** By the email that only this partner has. */
async function customers(): Promise<Json[]> {
  const { json } = await bank.get(`/kyc_links?email=${partner.contactEmail}`, { environment: 'live' })
  return json.data
}

async function say(words: Json): Promise<void> {
  const { customer_ref } = await wallet()
  await bank.control('POST', `/customers/${customer_ref}/kyc`, words)
}

async function atBank(): Promise<Json> {
  const { customer_ref } = await wallet()
  const read = async (what: string) => {
    const { json } = await bank.get(`/customers/${customer_ref}/${what}`, { environment: 'live' })
    return [what, json.data]
  }
  return Object.fromEntries(await Promise.all(['wallets', 'liquidation_addresses', 'virtual_accounts'].map(read)))
}

async function charges(): Promise<string[]> {
  const rows = await db.dataSource.query(
    `SELECT amount_micropounds::text AS amount FROM charges WHERE partner_id = $1 AND kind = 'verification'`,
    [partner.id],
  )
  return rows.map(({ amount }: { amount: string }) => amount)
}

async function notices(): Promise<string[]> {
  const rows = await db.dataSource.query(
    `SELECT about FROM notices WHERE partner_id = $1 AND kind = 'verification' ORDER BY id`,
    [partner.id],
  )
  return rows.map(({ about }: { about: string }) => about)
}
