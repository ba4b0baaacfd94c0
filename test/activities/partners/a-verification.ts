// A partner under verification at the live bank, for tests that call the verification activities directly.
import { beforeEach } from '@jest/globals'
import { bind } from '../../../activities/bind'
import {
  checkLiveCustomer,
  connectLiveWallet,
  openLiveCustomer,
} from '../../../activities/partners/verification/customer'
import type { VerificationDeps } from '../../../activities/partners/verification/store'
import { findPartnerById, type PartnerRow } from '../../../db/partners/partners'
import { beginVerification } from '../../../db/partners/verification'
import { RailUnavailable } from '../../../rail/rail'
import { systemClock } from '../../../runtime/clock'
import { aPartner } from '../../support/api/fixtures'
import { railTo } from '../../support/bank/a-connected-partner'
import { type Json, keys, useSandboxBank } from '../../support/bank/client'
import { useDatabase } from '../../support/db/database'
import { opened, openedForEach } from '../../support/opened'

const clock = systemClock
const redirectUrl = 'http://payouts.test/dashboard/verification'

/** A database and a bank for this test file, and for each test a partner whose verification has begun. */
export function useVerification() {
  const db = useDatabase(5)
  const bank = useSandboxBank({ fsync: 'off' })
  const rail = opened(
    async () => railTo(bank.url, { apiKey: keys.live }),
    (current) => current.close(),
  )
  const partner = openedForEach(async () => {
    const { id } = await aPartner({ db, clock }, { verificationStatus: 'not_started' })
    await beginOf(id)
    return load(id)
  })
  /** Error log entries of the current test. */
  const logged: unknown[] = []
  beforeEach(() => {
    logged.length = 0
  })

  function withRail(changed: Partial<VerificationDeps['rail']>, other: Partial<VerificationDeps> = {}) {
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

  const open = () => withRail({}).openLiveCustomer({ partnerId: partner.id })
  const check = () => withRail({}).checkLiveCustomer({ partnerId: partner.id })
  const connect = () => withRail({}).connectLiveWallet({ partnerId: partner.id })
  const begin = () => beginOf(partner.id)

  function beginOf(id: string) {
    return db.transaction((tx) => beginVerification(tx, id, clock.now()))
  }

  const now = () => load(partner.id)

  async function load(id: string): Promise<PartnerRow> {
    const row = await findPartnerById(db, id)
    if (row === null) throw new Error('the partner does not exist')
    return row
  }

  async function wallet(): Promise<Json> {
    const [row] = await db.dataSource.query(`SELECT * FROM wallets WHERE partner_id = $1 AND environment = 'live'`, [
      partner.id,
    ])
    return row
  }

  /** The partner's customers at the bank, found by the partner's unique email address. */
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

  return {
    db,
    rail,
    partner,
    logged,
    clock,
    redirectUrl,
    withRail,
    open,
    check,
    connect,
    begin,
    now,
    wallet,
    customers,
    say,
    atBank,
    charges,
    notices,
  }
}

/** Simulates an answer that is lost after the bank has handled the request. */
export function lost(): never {
  throw new RailUnavailable('lost on its way')
}
