// A bank that returns exactly the bytes that a test sets, for responses that a well-behaved bank never sends.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createProviderRail, type ProviderRail } from '../../../rail/provider'
import { opened } from '../opened'

export interface BankRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export type Script = (request: BankRequest, response: ServerResponse) => void

export interface ScriptedBank {
  readonly url: string
  readonly requests: BankRequest[]
  readonly rail: ProviderRail
  answer(script: Script): void
  close(): Promise<void>
}

/** Long enough for a busy machine. */
export const timeouts = { connectMs: 10_000, callMs: 10_000 }
/** For tests in which the bank does not answer. */
export const shortTimeouts = { connectMs: 200, callMs: 300 }
export const aClock = { now: () => new Date('2027-03-01T12:00:00.000Z') }

/** A scripted bank for this test file. */
export function useScriptedBank(): ScriptedBank {
  return opened(
    () => startScriptedBank(),
    (bank) => bank.close(),
  )
}

export async function startScriptedBank(): Promise<ScriptedBank> {
  const requests: BankRequest[] = []
  let script: Script = (_, response) => json(response, 500, {})
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const call = { method, path: url, headers, body: Buffer.concat(chunks).toString() }
      requests.push(call)
      script(call, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v0`
  const rail = createProviderRail({ baseUrl: url, apiKey: 'sk-test-1', clock: aClock, timeouts })
  return {
    url,
    requests,
    rail,
    answer(next) {
      script = next
      requests.length = 0
    },
    async close() {
      rail.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body))
}

export function aTransferJson(change: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'tr_1',
    client_reference_id: 'payout-1',
    state: 'pending',
    on_behalf_of: 'cust_1',
    currency: 'usd',
    amount: '132.41',
    source: { payment_rail: 'bridge_wallet', currency: 'usdc', amount: '132.41' },
    destination: { payment_rail: 'faster_payments', currency: 'gbp', external_account_id: 'ea_1', amount: '100.00' },
    receipt: { initial_amount: '132.41', exchange_fee: '0.0', gas_fee: '0.0' },
    created_at: '2027-03-01T11:59:59.000Z',
    updated_at: '2027-03-01T12:00:00.000Z',
    ...change,
  }
}
