// The fixture for the audit chain tests: a database with a wallet, rows to seal and a chain to verify.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach } from '@jest/globals'
import { Client } from 'pg'
import { recordActivity } from '../../../db/controls/activity'
import { sealRows } from '../../../db/controls/audit/seal'
import { type Db, type Tx, txThrough } from '../../../db/database'
import { addCharge } from '../../../db/invoices/charges'
import { postSet } from '../../../db/wallets/ledger'
import type { WalletRow } from '../../../db/wallets/wallets'
import { topUpPostings } from '../../../domain/wallets/ledger'
import { aWallet } from '../../support/db/a-partner'
import { createDatabase, openDb, type TestDatabase } from '../../support/db/database'
import { sealAll } from '../../support/db/seal-all'
import { until } from '../../support/until'

let database: TestDatabase
let db: Db
let wallet: WalletRow
export const now = new Date('2026-11-15T10:00:00.123Z')
export const nothingLeft = { ledger_sets: 0, ledger_entries: 0, charges: 0, activity: 0, ledger_accounts: 0 }
/** The number of ledger accounts that the wallet has. They are sealed before all other rows. */
export const accounts = 6

export const stage = {
  get db() {
    return db
  },
  get url() {
    return database.url
  },
  get wallet() {
    return wallet
  },
  /** Opens another wallet. Later rows belong to its partner. */
  async openAnotherWallet() {
    wallet = await aWallet(db)
    return wallet
  },
}

/** Call this once per test file. */
export function useStage(): void {
  beforeEach(async () => {
    database = await createDatabase()
    db = await openDb(database.url, 5)
    wallet = await aWallet(db)
  })
  afterEach(async () => {
    await db.close()
    await database.drop()
  })
}

export interface Link {
  readonly sequence: string
  readonly table_name: string
  readonly row_id: string
}

export async function chain(): Promise<Link[]> {
  return db.dataSource.query('SELECT sequence::text, table_name, row_id FROM audit_chain ORDER BY audit_chain.sequence')
}

export async function actionsSealed(): Promise<string[]> {
  const rows: { action: string }[] = await db.dataSource.query(
    `SELECT action FROM audit_chain c JOIN activity a ON a.id::text = c.row_id AND c.table_name = 'activity' ORDER BY c.sequence`,
  )
  return rows.map(({ action }) => action)
}

/** A transaction by the database owner that remains open until the test commits it. */
export async function aTransaction() {
  const client = new Client({ connectionString: database.url })
  await client.connect()
  await client.query('BEGIN')
  const tx = txThrough(db.dataSource, ({ values, ...command }) => client.query({ ...command, values: [...values] }))
  return {
    write: (action: string) => recordActivity(tx, [anEntry(action)]),
    async commit() {
      await client.query('COMMIT')
      await client.end()
    },
  }
}

export async function secondOf(table: string): Promise<Link> {
  const link = (await chain()).filter(({ table_name }) => table_name === table)[1]
  if (link === undefined) throw new Error('there must be two')
  return link
}

export function faultAt(what: string, link: Link | undefined) {
  return { what, sequence: BigInt(link?.sequence ?? 0), table: link?.table_name, rowId: link?.row_id }
}

export async function sealSome(limit: number, at = now, on = db): Promise<number> {
  return (await on.transaction((tx) => sealRows(tx, { at, limit })))?.rows ?? 0
}

/** Seals every row and advances the time, so that the next sealer searches only later rows. */
export async function sealLongAgo(): Promise<void> {
  await sealAll(db, now)
  let hours = 0
  await until('the sealed rows are passed', async () => {
    await sealSome(1_000, later((hours += 1)))
    const [{ done }] = await db.dataSource.query(
      'SELECT passed_to = (SELECT max(sequence) FROM audit_chain) AS done FROM audit_progress',
    )
    return done
  })
}

export function later(hours: number): Date {
  return new Date(now.getTime() + hours * 3_600_000)
}

/** Writes `count` groups of rows to seal, each with a ledger set of two entries, a charge and an activity entry. */
export async function someRows(count: number, on?: Tx): Promise<void> {
  const write: Db['transaction'] = (work) => (on === undefined ? db.transaction(work) : work(on))
  for (let made = 0; made < count; made += 1) {
    const about = {
      walletId: wallet.id,
      cause: 'top_up',
      causeRef: randomUUID(),
      payoutId: null,
      createdBy: 'test',
      at: now,
    }
    await write((tx) => postSet(tx, { ...about, postings: topUpPostings(1_000_000n) }))
    const { partnerId } = wallet
    const charge = {
      kind: 'exception',
      causeRef: randomUUID(),
      payoutId: null,
      amountMicropounds: 5n,
      at: now,
    } as const
    await write((tx) => addCharge(tx, { partnerId, ...charge }))
    await write((tx) => recordActivity(tx, [anEntry(`key.create${made}`)]))
  }
}

export function anEntry(action: string, changes: 'something' | 'nothing' = 'something') {
  const rest = { status: 201, madeBy: 'key:kp_sandbox_12345678', detail: null, requestId: null } as const
  return { partnerId: wallet.partnerId, at: now, environment: 'sandbox', action, changes, ...rest } as const
}
