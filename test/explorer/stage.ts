// The database that all schedules share. It has one partner with money, and is reset after each schedule.
import { openPartner } from '../../db/partners/open'
import { updatePartner } from '../../db/partners/partners'
import { postSet } from '../../db/wallets/ledger'
import { findWallet } from '../../db/wallets/wallets'
import { topUpPostings } from '../../domain/wallets/ledger'
import { aKey } from '../support/api/fixtures'
import { aRequest } from '../support/api/payout-world'
import { createDatabase } from '../support/db/database'
import { bankRefs } from './bank'
import { type ExploredDatabase, openExplored } from './database'

export interface ExploredPartner {
  readonly id: string
  /** The secret of the partner's live key. */
  readonly key: string
  readonly balanceMicro: bigint
  /** The request body for the partner's only payout. */
  readonly request: unknown
}

/** The payout's row, with the database's column names. */
export interface ExploredRow {
  readonly id: string
  readonly attempt: number
  readonly status: string
  readonly failure_reason: string | null
  readonly submit_started_at: Date | null
  readonly created_at: Date
  readonly released_at: Date | null
  readonly closed_at: Date | null
  readonly attention: string | null
  readonly verdict: string | null
}

export interface Stage {
  readonly database: ExploredDatabase
  readonly partner: ExploredPartner
  reset(): Promise<void>
  close(): Promise<void>
}

const balanceMicro = 1_000_000_000n
const openedAt = new Date('2026-11-15T09:00:00.000Z')
/** The number of schedules between two VACUUM statements, which free the space of deleted rows. */
const vacuumEvery = 250

export async function openStage(): Promise<Stage> {
  const created = await createDatabase()
  const database = await openExplored(created.url)
  const { db } = database
  const clock = { now: () => openedAt }
  const opened = await openPartner(
    { db, clock },
    { name: 'Acme Ltd', slug: 'acme', email: 'ada@acme.test', createdBy: 'ops:test' },
  )
  if (opened.outcome !== 'opened') throw new Error('the slug was taken')
  const { id } = opened.partner
  await db.transaction((tx) => updatePartner(tx, id, { verificationStatus: 'approved' }, openedAt))
  await database.look(
    `UPDATE wallets SET customer_ref = $2, wallet_ref = $3 WHERE partner_id = $1 AND environment = 'live'`,
    [id, bankRefs.customerRef, bankRefs.walletRef],
  )
  const wallet = await findWallet(db, id, 'live')
  if (wallet === null) throw new Error('the partner has no live wallet')
  const about = { walletId: wallet.id, payoutId: null, createdBy: 'test', at: openedAt, bankRef: 'first-deposit' }
  await postSet(db, { ...about, cause: 'top_up', causeRef: 'first', postings: topUpPostings(balanceMicro) })
  const key = await aKey({ db, clock }, { id }, 'live')
  await keepBaseline(database)

  let resets = 0
  return {
    database,
    partner: { id, key, balanceMicro, request: aRequest() },
    async reset() {
      await database.look('SELECT baseline.restore()')
      if (++resets % vacuumEvery === 0) await database.look('VACUUM')
    },
    async close() {
      await database.close()
      await created.drop()
    },
  }
}

/** Copies every table, and creates a function that restores the copies with triggers and foreign keys disabled. */
async function keepBaseline(database: ExploredDatabase): Promise<void> {
  const look = <Row>(sql: string) => database.look<Row>(sql)
  const tables = await look<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND relname <> 'migrations'`,
  )
  await look('CREATE SCHEMA baseline')
  for (const { name } of tables) await look(`CREATE TABLE baseline.${name} AS TABLE public.${name}`)
  const columns = await look<{ name: string; columns: string }>(
    `SELECT relname AS name, string_agg(quote_ident(attname), ', ' ORDER BY attnum) AS columns
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
      GROUP BY relname`,
  )
  const restore = columns
    .filter(({ name }) => name !== 'migrations')
    .map(
      ({ name, columns: all }) =>
        `DELETE FROM public.${name}; INSERT INTO public.${name} (${all}) OVERRIDING SYSTEM VALUE SELECT ${all} FROM baseline.${name};`,
    )
  await look(`CREATE FUNCTION baseline.restore() RETURNS void LANGUAGE plpgsql SET session_replication_role = replica AS $$
    #variable_conflict use_column
    BEGIN ${restore.join('\n')} END $$`)
}
