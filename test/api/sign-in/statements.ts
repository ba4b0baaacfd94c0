// Listens to the statements that an API runs, by their names, while something is done.
import type { Db, Tx } from '../../../db/database'

export async function statementsDuring(db: Db, work: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = []
  const own = { ...db }
  const noting = (tx: Tx): Tx => ({
    query: (statement, values) => {
      names.push(statement.name)
      return tx.query(statement, values)
    },
  })
  const listening: Pick<Db, 'query' | 'transaction'> = {
    ...noting({ query: (statement, values) => own.query(statement, values) }),
    transaction: (inside) => own.transaction((tx) => inside(noting(tx))),
  }
  Object.assign(db, listening)
  try {
    await work()
  } finally {
    Object.assign(db, own)
  }
  return names
}
