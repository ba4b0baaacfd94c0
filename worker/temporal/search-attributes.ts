// Registers the search attributes of payouts, and refuses one that exists with another type.

import type { Client } from '@temporalio/client'
import { deadlineIn } from '../../runtime/temporal/client'
import { payoutSearchAttributes } from '../../workflows/names'

export class SearchAttributesWrong extends Error {
  constructor(wrong: readonly string[], namespace: string) {
    super(
      `The Temporal namespace ${namespace} has search attributes of another type than this worker writes: ` +
        `${wrong.join(', ')}; remove them or use another namespace, then start the worker again.`,
    )
    this.name = 'SearchAttributesWrong'
  }
}

type WantedAttributes = Readonly<Record<string, 'KEYWORD' | 'INT'>>

export const wantedAttributes: WantedAttributes = Object.fromEntries(
  Object.values(payoutSearchAttributes).map(({ name, type }) => [name, type]),
)

/** The server accepts a registration with another type and changes nothing, so its list is checked afterwards. */
export async function requireSearchAttributes(client: Client, wanted: WantedAttributes): Promise<void> {
  await client.withDeadline(deadlineIn(10_000), async () => {
    const before = await registered(client)
    const missing = Object.entries(wanted).filter(([name]) => !Object.hasOwn(before, name))
    if (missing.length > 0) await register(client, missing)
    const now = missing.length > 0 ? await registered(client) : before
    const wrong = Object.entries(wanted).filter(([name, type]) => now[name] !== types[type])
    if (wrong.length === 0) return
    throw new SearchAttributesWrong(
      wrong.map(([name, type]) => `${name} (should be ${type})`),
      client.options.namespace,
    )
  })
}

/** `IndexedValueType` in the server's protocol. */
const types = { KEYWORD: 2, INT: 3 } as const

type Registered = Readonly<Record<string, number>>

async function registered({ connection, options }: Client): Promise<Registered> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: options.namespace })
  return customAttributes
}

async function register({ connection, options }: Client, missing: readonly [string, keyof typeof types][]) {
  const searchAttributes = Object.fromEntries(missing.map(([name, type]) => [name, types[type]]))
  await connection.operatorService.addSearchAttributes({ namespace: options.namespace, searchAttributes })
}
