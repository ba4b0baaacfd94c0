// A partner that asks the live bank to verify it, for tests that call the verification activities one by one.
import { afterAll, beforeAll, beforeEach } from '@jest/globals'
import { bind } from '../../../activities/bind'
import {
  checkLiveCustomer,
  connectLiveWallet,
  openLiveCustomer,
} from '../../../activities/partners/verification/customer'
import type { VerificationDeps } from '../../../activities/partners/verification/store'
import type { Db } from '../../../db/database'
import { findPartnerById, type PartnerRow } from '../../../db/partners/partners'
import { beginVerification } from '../../../db/partners/verification'
import type { ProviderRail } from '../../../rail/provider'
import { RailUnavailable } from '../../../rail/rail'
import { systemClock } from '../../../runtime/clock'
import { aPartner } from '../../support/api/fixtures'
import { railTo } from '../../support/bank/a-connected-partner'
import { type Json, keys, openTestBank, type TestBank } from '../../support/bank/client'
import { createDatabase, openDb, type TestDatabase } from '../../support/db/database'

export const clock = systemClock
export const redirectUrl = 'http://payouts.test/dashboard/verification'
let database: TestDatabase
export let db: Db
let bank: TestBank
export let rail: ProviderRail
/** Created for each test. */
export let partner: PartnerRow
/** The log lines of this test. */
export let logged: unknown[]

/** Call it once, at the top of a test file. */
export function useVerification(): void {
  beforeAll(async () => {
    database = await createDatabase()
    db = await openDb(database.url, 5)
    bank = await openTestBank({ fsync: 'off' })
    rail = railTo(bank.url, { apiKey: keys.live })
  })

  beforeEach(async () => {
    logged = []
    partner = await aPartner({ db, clock }, { verificationStatus: 'not_started' })
    await begin()
    partner = await now()
  })

  afterAll(async () => {
    rail.close()
    await bank.close()
    await db.close()
    await database.drop()
  })
}

/** The bank handles the request, but its answer never arrives. */
export function lost(): never {
  throw new RailUnavailable('lost on its way')
}

export function withRail(changed: Partial<VerificationDeps['rail']>, other: Partial<VerificationDeps> = {}) {
  const log = { error: (about: unknown) => void logged.push(about) } as VerificationDeps['log']
  const deps: VerificationDeps = {
    db,
    clock,
    log,
    rail: { ...rail, ...changed },
    redirectUrl,
    madeBy: 'bank',
    ...other,
  }
  return bind(deps, { openLiveCustomer, checkLiveCustomer, connectLiveWallet })
}

export const open = () => withRail({}).openLiveCustomer({ partnerId: partner.id })
export const check = () => withRail({}).checkLiveCustomer({ partnerId: partner.id })
export const connect = () => withRail({}).connectLiveWallet({ partnerId: partner.id })
export const begin = () => db.transaction((tx) => beginVerification(tx, partner.id, clock.now()))

export async function now(): Promise<PartnerRow> {
  const row = await findPartnerById(db, partner.id)
  if (row === null) throw new Error('the partner has vanished')
  return row
}

export async function wallet(): Promise<Json> {
  const [row] = await db.dataSource.query(`SELECT * FROM wallets WHERE partner_id = $1 AND environment = 'live'`, [
    partner.id,
  ])
  return row
}

/** Found by the email that only this partner has. */
export async function customers(): Promise<Json[]> {
  const { json } = await bank.get(`/kyc_links?email=${partner.contactEmail}`, { environment: 'live' })
  return json.data
}

export async function say(words: Json): Promise<void> {
  const { customer_ref } = await wallet()
  await bank.control('POST', `/customers/${customer_ref}/kyc`, words)
}

export async function atBank(): Promise<Json> {
  const { customer_ref } = await wallet()
  const read = async (what: string) => {
    const { json } = await bank.get(`/customers/${customer_ref}/${what}`, { environment: 'live' })
    return [what, json.data]
  }
  return Object.fromEntries(await Promise.all(['wallets', 'liquidation_addresses', 'virtual_accounts'].map(read)))
}

export async function charges(): Promise<string[]> {
  const rows = await db.dataSource.query(
    `SELECT amount_micropounds::text AS amount FROM charges WHERE partner_id = $1 AND kind = 'verification'`,
    [partner.id],
  )
  return rows.map(({ amount }: { amount: string }) => amount)
}

export async function notices(): Promise<string[]> {
  const rows = await db.dataSource.query(
    `SELECT about FROM notices WHERE partner_id = $1 AND kind = 'verification' ORDER BY id`,
    [partner.id],
  )
  return rows.map(({ about }: { about: string }) => about)
}
