// Several partners that make payouts continuously, each to a different recipient, and record every response.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Environment } from '../../domain/environment'
import { systemClock } from '../../runtime/clock'
import type { Seen } from '../referee/referee'
import { aKey } from '../support/api/fixtures'
import type { Json } from '../support/bank/client'
import { aConnectedPartner, topUp } from '../support/stages/payout'
import type { World } from '../support/system/world'
import { until } from '../support/until'

export interface Partners {
  readonly seen: readonly Seen[]
  /** The account numbers of the orders, one per order. */
  readonly accounts: readonly string[]
  /** Stops placing orders. Resolves when every order is answered, and throws if one is not answered in time. */
  stop(withinMs: number): Promise<void>
}

interface Payer {
  readonly partnerId: string
  readonly environment: Environment
  readonly secret: string
}

interface Order {
  readonly key: string
  readonly body: string
  readonly payer: Payer
}

const partnersMany = 3
const clientsOfEach = 3
const richUsdc = '1000000.00'
const answerLimitMs = 15_000

export async function openPartners(world: World): Promise<Partners> {
  const payers = (await Promise.all(Array.from({ length: partnersMany }, () => payersOf(world)))).flat()
  const seen: Seen[] = []
  const accounts: string[] = []
  const closing = new AbortController()
  let turn = 0

  function anOrder(payer: Payer): Order {
    const number = 10_000_000 + accounts.length
    // Every fiftieth order goes to an account that the bank refuses.
    const accountNumber = accounts.length % 50 === 49 ? `${1_000 + accounts.length}0000`.slice(-8) : String(number)
    accounts.push(accountNumber)
    const pence = 100 + ((accounts.length * 37) % 400)
    const amount = `${Math.floor(pence / 100)}.${String(pence % 100).padStart(2, '0')}`
    const body = JSON.stringify(world.order({ accountNumber, amount_gbp: amount }))
    return { key: `order-${randomUUID()}`, body, payer }
  }

  async function ask({ key, body, payer }: Order, timeoutMs: number): Promise<number> {
    const { partnerId, environment, secret } = payer
    const headers = { Authorization: `Bearer ${secret}`, 'Content-Type': 'application/json', 'Idempotency-Key': key }
    // Uses the APIs in turn, so that a retry reaches another API, as it would behind a load balancer.
    const url = `${world.urls[turn++ % world.urls.length]}/v1/payouts`
    const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) })
    const { id = null, amount_gbp: amountGbp = null, error }: Json = await response.json()
    const { status } = response
    seen.push({ partnerId, environment, key, status, payoutId: id, amountGbp, code: error?.code ?? null })
    return status
  }

  async function client(index: number): Promise<void> {
    for (let count = index; !closing.signal.aborted; count++) {
      const payer = payers[count % payers.length]
      if (payer === undefined) throw new Error('there is no payer')
      const order = anOrder(payer)
      // For every fifth order, the client disconnects early. For every seventh, it repeats an answered request.
      const timeouts = count % 5 === 0 ? [5 + ((count * 53) % 400)] : []
      for (let answered = false; !answered; await pause(200)) {
        const status = await ask(order, timeouts.pop() ?? answerLimitMs).catch(() => 0)
        answered = status === 200 || status === 201
      }
      if (count % 7 === 0) await ask(order, answerLimitMs).catch(() => 0)
      await pause(800 + ((count * 97) % 900))
    }
  }

  let isAnswered = false
  const clients = Promise.all(
    Array.from({ length: partnersMany * clientsOfEach }, (_, index) => client(index)),
  ).finally(() => (isAnswered = true))
  return {
    seen,
    accounts,
    async stop(withinMs) {
      closing.abort()
      await until('every order has its answer', () => isAnswered, withinMs)
      await clients
    },
  }
}

async function payersOf({ db, bank }: World): Promise<Payer[]> {
  const { id: partnerId } = await aConnectedPartner(db, bank, richUsdc)
  await topUp(db, bank, { partnerId, environment: 'sandbox', usdc: richUsdc })
  const stage = { db, clock: systemClock }
  const payer = async (environment: Environment) => ({
    partnerId,
    environment,
    secret: await aKey(stage, { id: partnerId }, environment),
  })
  return Promise.all([payer('sandbox'), payer('live')])
}
