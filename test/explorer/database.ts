// The real database with a scheduling point before each statement, except BEGIN and ROLLBACK. Statements that wait
// for a lock are detected, and a crash rolls back open transactions.
import { createHash } from 'node:crypto'
import { Pool, type PoolClient, type QueryConfig, type QueryResult } from 'pg'
import { openDatabase } from '../../db/data-source'
import type { Db } from '../../db/database'
import { type Actor, currentActor, never, type Process, type Settling } from './schedule'

export interface ExploredDatabase extends Settling {
  readonly db: Db
  /** Queries the database without a scheduling point, for the invariants. */
  look<Row>(sql: string, values?: unknown[]): Promise<Row[]>
  /** How many times an actor had to wait for another actor's lock. */
  readonly waits: number
  /** Rolls back the open transactions of a process, as the server does when connections are lost. */
  crash(process: Process): void
  /** Called with the text of each executed statement. */
  onStatement: (actor: Actor, text: string, rows: readonly unknown[]) => void
  close(): Promise<void>
}

/** How long a statement may take before the explorer checks whether it is waiting for a lock. */
const blockedAfterMs = 5

export async function openExplored(url: string): Promise<ExploredDatabase> {
  const options = { url, onError: () => undefined, connectMs: 60_000 }
  const db = await openDatabase({ ...options, poolSize: 16 })
  const monitor = await openDatabase({ ...options, poolSize: 2 })
  const pool = poolOf(db)
  const watching = poolOf(monitor)
  const connectRaw = pool.connect.bind(pool)
  const busy = new Map<object, number>()
  const open = new Map<PoolClient, Open>()
  let wake = () => {}
  let isWaiting = false

  /** Prepares each query once, because the same queries run after every schedule. */
  async function ask<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    const name = createHash('sha256').update(text).digest('hex').slice(0, 40)
    const { rows } = await watching.query({ name, text, values })
    return rows as Row[]
  }

  /** Tracks work on a connection. The current step waits for this work. */
  async function tracked<T>(on: object, work: Promise<T>): Promise<T> {
    explored.started++
    busy.set(on, (busy.get(on) ?? 0) + 1)
    try {
      return await work
    } finally {
      const left = (busy.get(on) ?? 1) - 1
      if (left === 0) busy.delete(on)
      else busy.set(on, left)
      wake()
    }
  }

  const explored: ExploredDatabase & { started: number; waits: number } = {
    db,
    started: 0,
    waits: 0,
    look: <Row>(sql: string, values: unknown[] = []): Promise<Row[]> => tracked({}, ask<Row>(sql, values)),
    async settled() {
      if (busy.size === 0) isWaiting = false
      while (busy.size > 0) {
        await Promise.race([new Promise<void>((resolve) => (wake = resolve)), pause(blockedAfterMs)])
        if (busy.size === 0 || (await waitingForLocks()) !== busy.size) continue
        if (!isWaiting) explored.waits++
        isWaiting = true
        return
      }
    },
    crash(process) {
      for (const [raw, transaction] of open) {
        if (transaction.actor.process !== process) continue
        open.delete(raw)
        transaction.isLost = true
        // The rollback follows any statement that is still waiting for a lock, as on the server.
        void tracked(raw, raw.query('ROLLBACK')).finally(() => raw.release())
      }
    },
    onStatement: () => {},
    async close() {
      await db.close()
      await monitor.close()
    },
  }

  async function waitingForLocks(): Promise<number> {
    const [row] = await ask<{ count: number }>(
      `SELECT count(*)::integer AS count FROM pg_stat_activity
        WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
    )
    return row?.count ?? 0
  }

  async function execute(raw: PoolClient, actor: Actor, config: QueryConfig | string): Promise<QueryResult> {
    const name = nameOf(config)
    try {
      const result = await tracked(raw, raw.query(config))
      if (actor.process.alive && name !== 'BEGIN') {
        actor.schedule.say(`${name}${describeRows(result)}`, actor.name)
        explored.onStatement(actor, textOf(config), result.rows)
      }
      return result
    } catch (error) {
      actor.schedule.say(`${name} → ${String(error)}`, actor.name)
      throw error
    }
  }

  pool.query = (async (config: QueryConfig) => {
    const actor = currentActor()
    await actor?.schedule.point(nameOf(config))
    const raw = await tracked({}, connectRaw())
    try {
      return actor === null ? await raw.query(config) : await execute(raw, actor, config)
    } finally {
      raw.release()
      if (actor?.process.alive === false) await never()
    }
  }) as typeof pool.query

  pool.connect = ((callback: (error: Error | undefined, client?: unknown) => void) => {
    const actor = currentActor()
    if (actor?.process.alive === false) return
    const give = (client: unknown) => callback(undefined, client)
    void tracked({}, checkOut(actor)).then(give, callback)
  }) as typeof pool.connect

  async function checkOut(actor: Actor | null) {
    const raw = await connectRaw()
    // If the server ends the connection, the next statement fails.
    if (raw.listenerCount('error') === 0) raw.on('error', () => undefined)
    return actor === null ? raw : explore(raw, actor)
  }

  /** Wraps the client methods that our transactions use. */
  function explore(raw: PoolClient, actor: Actor) {
    const transaction: Open = { actor, isLost: false }
    open.set(raw, transaction)
    return {
      async query(config: QueryConfig | string): Promise<QueryResult> {
        const name = nameOf(config)
        // BEGIN and ROLLBACK change no data, so they need no scheduling point.
        if (name !== 'BEGIN' && name !== 'ROLLBACK') await actor.schedule.point(name)
        if (transaction.isLost) return never()
        try {
          return await execute(raw, actor, config)
        } finally {
          if (transaction.isLost) await never()
        }
      },
      on: () => undefined,
      off: () => undefined,
      release: (lost?: Error) => {
        if (transaction.isLost) return
        open.delete(raw)
        raw.release(lost)
      },
    }
  }
  return explored
}

interface Open {
  readonly actor: Actor
  isLost: boolean
}

function poolOf({ dataSource: { driver } }: Db): Pool {
  const pool: unknown = 'master' in driver ? driver.master : undefined
  if (!(pool instanceof Pool)) throw new Error('TypeORM must run on a pool of pg')
  return pool
}

/** Returns the start of a statement on one line, for the trace of a schedule. */
function nameOf(config: QueryConfig | string): string {
  return textOf(config).trim().replace(/\s+/g, ' ').slice(0, 80)
}

function textOf(config: QueryConfig | string): string {
  return typeof config === 'string' ? config : config.text
}

function describeRows({ command, rowCount }: QueryResult): string {
  return command === 'COMMIT' || command === 'ROLLBACK' ? '' : ` (${rowCount ?? 0} rows)`
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
