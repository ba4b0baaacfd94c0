// The real database with a listener that can inspect a statement, fail it, or act before and after it.
import type { QueryResult } from 'pg'
import { type Command, type Db, sentThrough, type Tx, txThrough } from '../../../db/database'

export type Tap = (command: Command, next: () => Promise<QueryResult>) => Promise<QueryResult>

/** Taps every statement, inside transactions and outside. */
export function tapped(db: Db, tap: Tap): Db {
  return sentThrough(db, {
    send: (command) => tap(command, () => db.send(command)),
    transaction: (work) => db.transaction((tx) => work(tappedTx(tx, tap))),
  })
}

export function tappedTx(tx: Tx, tap: Tap): Tx {
  return txThrough(tx.dataSource, (command) => tap(command, () => tx.send(command)))
}
