// A real mail inbox in its own folder, with functions that read the messages.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Inbox, type InboxOptions, startInbox } from '../../../local/mail-inbox/inbox'
import { opened } from '../opened'

export interface InboxMessage {
  readonly id: string
  readonly received_at: string
  readonly envelope: { readonly from: string; readonly to: readonly string[] }
  readonly message_id: string | null
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  readonly attachments: readonly { name: string; type: string; size_bytes: number; path: string }[]
}

export interface TestInbox extends Inbox {
  readonly dataDir: string
  readonly messages: () => Promise<InboxMessage[]>
  readonly bytes: (path: string) => Promise<Buffer>
  readonly remove: () => Promise<void>
}

/** An inbox for this test file. */
export function useInbox(): TestInbox {
  return opened(anInbox, (inbox) => inbox.remove())
}

export async function anInbox(options: Partial<InboxOptions> = {}): Promise<TestInbox> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'payouts-inbox-'))
  const inbox = await startInbox({ smtpPort: 0, httpPort: 0, ...options, dataDir })
  return {
    ...inbox,
    dataDir,
    async messages() {
      const list: { data: InboxMessage[] } = JSON.parse(await (await fetch(`${inbox.url}/messages.json`)).text())
      return list.data
    },
    bytes: async (path) => Buffer.from(await (await fetch(inbox.url + path)).arrayBuffer()),
    async remove() {
      await inbox.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
