// The real database with a listener that can inspect a statement, fail it, or act before and after it.
import type { QueryResult } from 'pg'
import { type Command, type Db, sentThrough, type Tx, txThrough } from '../../../db/database'

export type Tap = (command: Command, next: () => Promise<QueryResult>) => Promise<QueryResult>

/** Passes every statement to `tap`, inside and outside transactions. */
export function tapped(db: Db, tap: Tap): Db {
  return sentThrough(db, {
    send: (command) => tap(command, () => db.send(command)),
    transaction: (work) => db.transaction((tx) => work(tappedTx(tx, tap))),
  })
}

export function tappedTx(tx: Tx, tap: Tap): Tx {
  return txThrough(tx.dataSource, (command) => tap(command, () => tx.send(command)))
}

/** The same database, but `act` runs after each statement outside a transaction that equals `sender`'s first one. */
export function actingAfter(db: Db, sender: (tx: Tx) => Promise<unknown>, act: () => Promise<unknown>): Db {
  const awaited = textSentBy(db, sender)
  const send: Db['send'] = async (command) => {
    const answer = await db.send(command)
    if (command.text === awaited) await act()
    return answer
  }
  return sentThrough(db, { send, transaction: (work) => db.transaction(work) })
}

/** Returns the text of the first statement that `sender` sends. No statement is executed. */
function textSentBy(db: Db, sender: (tx: Tx) => Promise<unknown>): string {
  const sent: string[] = []
  const tx = txThrough(db.dataSource, ({ text }) => {
    sent.push(text)
    return new Promise(() => {})
  })
  void sender(tx)
  const [text] = sent
  if (text === undefined) throw new Error('the function sent no statement')
  return text
}
