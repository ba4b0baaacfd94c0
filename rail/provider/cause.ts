// Classifies each request to the bank and the cause of its failure. Uses fixed phrases only, because a response can
// contain names and account numbers.
import type { BankCallOutcome, BankCallSeen, BankOperation } from '../rail'
import { type Answer, type Answered, type BankCall, type Client, pathTemplate } from './client'
import { readError } from './map'

/** Wraps a client so that it reports each request that was made. */
export function withCallReports(client: Client, onCall: (seen: BankCallSeen) => void): Client {
  return {
    ...client,
    async call(call) {
      const begun = process.hrtime.bigint()
      const answer = await client.call(call)
      const seconds = Number(process.hrtime.bigint() - begun) / 1e9
      const isMade = answer.stage !== 'unconnected' || causeOf(answer) !== notMade
      if (isMade) onCall({ operation: operationOf(call), outcome: outcomeOf(answer), seconds })
      return answer
    },
  }
}

function outcomeOf(answer: Answer): BankCallOutcome {
  if (answer.stage === 'unconnected') return 'unconnected'
  if (answer.stage === 'sent') return causeOf(answer) === 'timeout' ? 'timeout' : 'lost'
  const { status } = answer
  if (status >= 500) return 'server_error'
  if (isRead(answer)) return 'ok'
  if (status >= 200 && status < 300) return 'unreadable'
  return status === 401 ? 'unauthorized' : status === 429 ? 'throttled' : 'refused'
}

/** Returns the cause for operators, such as `HTTP 400 invalid_parameters`, `timeout` or `connection refused`. */
export function causeOf(answer: Answer): string {
  if (answer.stage !== 'answered') {
    const { code, message } = describe(answer.cause)
    return words[code] ?? words[message] ?? (answer.stage === 'sent' ? 'connection lost' : 'connection failed')
  }
  const { code } = readError(answer.body)
  const more = answer.status < 300 ? 'unreadable' : code !== null && codes.has(code) ? code : null
  return `HTTP ${answer.status}${more === null ? '' : ` ${more}`}`
}

function isRead({ status, body }: Answered): boolean {
  return status === 204 || (status >= 200 && status < 300 && body !== undefined)
}

function describe(error: Error): { code: string; message: string } {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const isTls = /CERT|^ERR_(SSL|TLS)_|^UNABLE_TO_|^EPROTO$/.test(code)
  return { code: isTls ? 'TLS' : code, message: error.message }
}

/** The deadline had passed before the request was made. */
const notMade = 'no time left'

/** Keyed by the system's error code, or by the message of the client's own errors. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ETIMEDOUT: 'connect timeout',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  TLS: 'TLS failure',
  'no connection in time': 'connect timeout',
  'no answer in time': 'timeout',
  'the answer is too long': 'answer too long',
  'no time left': notMade,
}

/** The codes that the bank documents. Any other code could contain part of a request. */
const codes: ReadonlySet<string> = new Set([
  'bad_request',
  'deactivated_external_account',
  'developer_limits_exceeded',
  'duplicate_external_account',
  'duplicate_record',
  'external_dependency_failed',
  'frozen',
  'has_not_accepted_tos',
  'invalid',
  'invalid_account',
  'invalid_geographic_location',
  'invalid_json',
  'invalid_parameters',
  'missing_address_data',
  'missing_required_endorsements',
  'not_allowed',
  'not_found',
  'not_truly_idempotent',
  'required',
  'requires_active_kyc_status',
  'resource_state_conflict',
  'unprocessable_entity',
])

function operationOf({ method, path }: BankCall): BankOperation {
  const name = `${method} ${pathTemplate(path)}`
  return operations.find(([pattern]) => pattern.test(name))?.[1] ?? 'other'
}

/** Groups requests, so that the metrics have few series. The first matching group applies. */
const operations: readonly (readonly [RegExp, BankOperation])[] = [
  [/^POST \/transfers$/, 'submit_transfer'],
  [/^GET \/transfers\/\{id\}$/, 'read_transfer'],
  [/\/transfers$/, 'list_transfers'],
  [/\/external_accounts\b/, 'register_recipient'],
  [/\/history$/, 'read_history'],
  [/^GET .*\/wallets\b/, 'read_wallet'],
  [/\/(wallets|liquidation_addresses|virtual_accounts)\b/, 'set_up_wallet'],
  [/ \/(kyc_links|customers\/\{id\}$)/, 'verify_customer'],
  [/ \/exchange_rates$/, 'read_rate'],
  [/ \/webhooks\b/, 'set_webhook'],
]
