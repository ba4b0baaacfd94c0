// Registers the search attributes for payouts. If the server does not allow this, as on Temporal Cloud, checks that
// they exist.

import type { Client } from '@temporalio/client'
import { deadlineIn } from '../../runtime/temporal/client'
import { grpcCodeOf } from '../../runtime/temporal/refusal'
import { payoutSearchAttributes } from '../../workflows/names'

/** An error that waiting does not fix: an operator must change the namespace. The message explains how. */
export class SearchAttributesWrong extends Error {
  constructor(message: string) {
    super(`${message}, then start the worker again.`)
    this.name = 'SearchAttributesWrong'
  }
}

type Type = 'KEYWORD' | 'INT'
type WantedAttributes = Readonly<Record<string, Type>>
type Attribute = readonly [name: string, type: Type]

export const wantedAttributes: WantedAttributes = Object.fromEntries(
  Object.values(payoutSearchAttributes).map(({ name, type }) => [name, type]),
)

/** `queried`: the server refuses OperatorService, so a query for each attribute has proved that it exists. */
export async function requireSearchAttributes(client: Client, wanted: WantedAttributes): Promise<'listed' | 'queried'> {
  return client.withDeadline(deadlineIn(10_000), async () => {
    const known = await unlessRefused(() => registered(client))
    if (known === 'refused') {
      await requireByQueries(client, wanted)
      return 'queried'
    }
    await requireListed(client, wanted, known)
    return 'listed'
  })
}

/** The server accepts a registration with another type and changes nothing, so its list is checked afterwards. */
async function requireListed(client: Client, wanted: WantedAttributes, before: Registered): Promise<void> {
  const missing = Object.entries(wanted).filter(([name]) => !Object.hasOwn(before, name))
  if (missing.length > 0 && (await unlessRefused(() => register(client, missing))) === 'refused')
    throw new SearchAttributesWrong(howToCreate(missing, client.options.namespace))
  const now = missing.length > 0 ? await registered(client) : before
  const wrong = Object.entries(wanted).filter(([name, type]) => now[name] !== types[type].code)
  if (wrong.length === 0) return
  throw new SearchAttributesWrong(
    `The Temporal namespace ${client.options.namespace} has search attributes whose type differs from the one this worker writes: ` +
      `${wrong.map(([name, type]) => `${name} (should be ${type})`).join(', ')}; remove them or use another namespace`,
  )
}

/**
 * The server rejects a query on an unknown attribute, or with an operator that the attribute's type does not support.
 * The check for a Keyword uses STARTS_WITH, because a Text attribute also accepts the other string comparisons.
 */
async function requireByQueries(client: Client, wanted: WantedAttributes): Promise<void> {
  const attributes = Object.entries(wanted)
  const accepted = await Promise.all(attributes.map((attribute) => acceptsQuery(client, attribute)))
  const missing = attributes.filter((_attribute, index) => !accepted[index])
  if (missing.length > 0) throw new SearchAttributesWrong(howToCreate(missing, client.options.namespace))
}

async function acceptsQuery({ connection, options }: Client, [name, type]: Attribute): Promise<boolean> {
  const query = `${name} ${types[type].example}`
  try {
    await connection.workflowService.countWorkflowExecutions({ namespace: options.namespace, query })
    return true
  } catch (error) {
    if (grpcCodeOf(error) === invalidArgument) return false
    throw error
  }
}

function howToCreate(missing: readonly Attribute[], namespace: string): string {
  // Each name needs its own type. If only one type is given, the CLI creates only the first of several names.
  const create = missing.map(([name, type]) => `--name ${name} --type ${types[type].word}`)
  const add = missing.map(([name, type]) => `--search-attribute ${name}=${types[type].word}`)
  return (
    `The Temporal namespace ${namespace} lacks search attributes that this worker writes, or has them with another type: ` +
    `${missing.map(([name]) => name).join(', ')}; create them with ` +
    `"temporal operator search-attribute create --namespace ${namespace} ${create.join(' ')}" or, on Temporal Cloud, ` +
    `"tcld namespace search-attributes add --namespace ${namespace} ${add.join(' ')}"`
  )
}

/** `code` is `IndexedValueType` in the server's protocol, `word` is the type on the command line. */
const types = {
  KEYWORD: { code: 2, word: 'Keyword', example: "STARTS_WITH 'none'" },
  INT: { code: 3, word: 'Int', example: '= 0' },
} as const

type Registered = Readonly<Record<string, number>>

async function registered({ connection, options }: Client): Promise<Registered> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: options.namespace })
  return customAttributes
}

async function register({ connection, options }: Client, missing: readonly Attribute[]): Promise<void> {
  const searchAttributes = Object.fromEntries(missing.map(([name, type]) => [name, types[type].code]))
  await connection.operatorService.addSearchAttributes({ namespace: options.namespace, searchAttributes })
}

// gRPC status codes.
const [invalidArgument, permissionDenied, unimplemented] = [3, 7, 12]

async function unlessRefused<T>(call: () => Promise<T>): Promise<T | 'refused'> {
  try {
    return await call()
  } catch (error) {
    if ([permissionDenied, unimplemented].includes(grpcCodeOf(error))) return 'refused'
    throw error
  }
}
