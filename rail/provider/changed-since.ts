// Reads which transfers have changed: in one question where they fit a page, else by a walk through all that can still come back.
import type { Clock } from '../../clock'
import { RailUnavailable, type Transfer } from '../rail'
import { ask } from './ask'
import type { Client } from './client'
import { dateAt, listAt, Unreadable } from './fields'
import { walkList } from './lists'
import { readTransfer } from './map'

const changesPerPage = 100
/** Banks send a payment back for up to 90 days; what is older changes no more. */
const walkedMs = 91 * 86_400_000
const name = 'changed transfers'

/** One that can not be read keeps nobody from the others; that there was one is told at the end, as trouble. */
export async function* changedSince(client: Client, clock: Clock, at: Date): AsyncGenerator<Transfer> {
  let unread = 0
  for await (const listed of changes(client, clock, at)) {
    if (listed === null) unread += 1
    else if (listed.transfer.updatedAt >= at) yield listed.transfer
  }
  if (unread > 0) throw new RailUnavailable(name, { cause: new Error(`${unread} of them can not be read`) })
}

interface Listed {
  readonly transfer: Transfer
  readonly createdAt: Date
}

/** The bank can not page through changes: more than a page of them is a walk through the list itself, newest first. */
async function* changes(client: Client, clock: Clock, at: Date): AsyncGenerator<Listed | null> {
  const path = `/transfers?limit=${changesPerPage}&updated_after_ms=${Math.max(0, at.getTime() - 1)}`
  const page = await ask(client, name, { method: 'GET', path }, (body) => listAt(body, 'data').map(readListed))
  if (page.length < changesPerPage) {
    yield* page
    return
  }
  const oldest = clock.now().getTime() - walkedMs
  const isPast = (listed: Listed | null) => listed !== null && listed.createdAt.getTime() < oldest
  yield* walkList(client, { name, path: '/transfers', read: readListed, isPast })
}

function readListed(row: unknown): Listed | null {
  try {
    return { transfer: readTransfer(row), createdAt: dateAt(row, 'created_at') }
  } catch (error) {
    if (error instanceof Unreadable) return null
    throw error
  }
}
