// Records the SQL statements that an API runs during an action: the name of each, or its text if it has no name of
// its own.
import type { Command, Db } from '../../../db/database'
import { nameOf } from '../../../db/sql'
import { tapped } from '../../support/db/tapped'

export async function statementsDuring(db: Db, work: () => Promise<unknown>): Promise<string[]> {
  const seen: string[] = []
  const own = { ...db }
  Object.assign(
    db,
    tapped(own, (command, next) => {
      seen.push(titleOf(command))
      return next()
    }),
  )
  try {
    await work()
  } finally {
    Object.assign(db, own)
  }
  return seen
}

function titleOf({ name, text }: Command): string {
  return name === '' || name === nameOf(text) ? text.replaceAll(/\s+/g, ' ') : name
}
