// Stores the newest emails, one file each, so that they survive a restart.

import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../runtime/clock'
import { writePrivate } from '../files'
import { type Message, readMessage } from './message'

export interface Mailbox {
  /** Resolves when the email is on disk. */
  readonly add: (mail: Mail) => Promise<void>
  /** Newest first. */
  readonly list: () => readonly Message[]
  readonly find: (id: string) => Message | null
  readonly empty: () => void
  /** Changes whenever an email is added or removed. */
  readonly version: () => string
}

interface Mail {
  readonly envelope: Message['envelope']
  readonly raw: Buffer
}

interface MailboxOptions {
  readonly folder: string
  readonly keepMax: number
  readonly clock: Clock
}

export async function openMailbox({ folder, keepMax, clock }: MailboxOptions): Promise<Mailbox> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const fileOf = (id: string) => join(folder, `${id}.json`)
  const names = readdirSync(folder).filter((name) => fileName.test(name))
  const messages = await Promise.all(names.toSorted().map((name) => read(join(folder, name))))
  let changes = 0
  let lastMs = 0

  const forget = (count: number) => {
    for (const { id } of messages.splice(0, count)) rmSync(fileOf(id), { force: true })
    changes += 1
  }
  return {
    async add({ envelope, raw }) {
      // Preserves the order of emails that arrive in the same millisecond.
      lastMs = Math.max(clock.now().getTime(), lastMs + 1)
      const id = `${String(lastMs).padStart(14, '0')}-${randomBytes(4).toString('hex')}`
      const received = { id, receivedAt: new Date(lastMs).toISOString(), envelope, raw }
      const message = await readMessage(received)
      writePrivate(fileOf(id), { ...received, raw: raw.toString('base64') })
      messages.push(message)
      messages.sort((one, other) => (one.id < other.id ? -1 : 1))
      forget(Math.max(0, messages.length - keepMax))
    },
    list: () => messages.toReversed(),
    find: (id) => messages.find((message) => message.id === id) ?? null,
    empty: () => forget(messages.length),
    version: () => `${messages.at(-1)?.id ?? 'none'}.${messages.length}.${changes}`,
  }
}

const fileName = /^\d{14}-[0-9a-f]{8}\.json$/

function read(path: string): Promise<Message> {
  const kept = JSON.parse(readFileSync(path, 'utf8'))
  return readMessage({ ...kept, raw: Buffer.from(kept.raw, 'base64') })
}
