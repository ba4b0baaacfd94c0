// Checks a bank from the outside: whether it responds, accepts our key, and has our wallet and our webhook.
import type { Clock } from '../../runtime/clock'
import { RailUnavailable, type WalletRefs } from '../rail'
import type { BankAddress } from '../rails'
import { isNotFound, isSuccess, part } from './ask'
import { causeOf } from './cause'
import { type Answer, type Client, createClient, type Timeouts } from './client'
import { optionalTextAt, readable, textAt } from './fields'
import { readWholeList } from './lists'
import { readRate } from './map'

export interface BankToCheck {
  readonly access: BankAddress
  /** A wallet in this environment, and one in the other environment. */
  readonly wallet: WalletRefs | null
  readonly otherWallet: WalletRefs | null
  readonly webhookRef: string | null
}

export interface CheckedBank {
  readonly reach: Reach
  readonly answerMs: number
  /** How far the bank's clock is ahead of ours. Null if the response has no date. */
  readonly aheadMs: number | null
  /** `other` means that the key belongs to the other environment. Null if this could not be checked. */
  readonly wallet: 'known' | 'unknown' | 'other' | null
  /** Null if the webhook could not be checked. */
  readonly webhook: 'active' | 'disabled' | 'unknown' | null
}

/** `detail` states why the call failed, without personal data. */
export type Reach =
  | { readonly outcome: 'accepted'; readonly detail: null }
  | { readonly outcome: 'no_answer' | 'rejected_key' | 'not_the_bank' | 'failing'; readonly detail: string }

export async function checkBank(
  { access, wallet, otherWallet, webhookRef }: BankToCheck,
  { clock, timeouts }: { readonly clock: Clock; readonly timeouts: Timeouts },
): Promise<CheckedBank> {
  const client = createClient({ baseUrl: access.url, apiKey: access.key, clock, timeouts })
  try {
    const start = clock.now().getTime()
    const answer = await client.call({ method: 'GET', path: '/exchange_rates?from=usd&to=gbp' })
    const end = clock.now().getTime()
    const reach = reachOf(answer)
    const isAccepted = reach.outcome === 'accepted'
    return {
      reach,
      answerMs: end - start,
      aheadMs: aheadMsOf(answer, (start + end) / 2),
      wallet: isAccepted && wallet !== null ? await whoseWallet(client, wallet, otherWallet) : null,
      webhook: isAccepted && webhookRef !== null ? await webhookState(client, webhookRef) : null,
    }
  } finally {
    client.close()
  }
}

function reachOf(answer: Answer): Reach {
  const detail = causeOf(answer)
  if (answer.stage !== 'answered') return { outcome: 'no_answer', detail }
  if (answer.status === 401 || answer.status === 403) return { outcome: 'rejected_key', detail }
  if (answer.status === 429 || answer.status >= 500) return { outcome: 'failing', detail }
  const isRate = isSuccess(answer) && readable(() => readRate(answer.body)) !== null
  return isRate ? { outcome: 'accepted', detail: null } : { outcome: 'not_the_bank', detail }
}

/** A Date header has whole seconds, so this function assumes the middle of the second. */
function aheadMsOf(answer: Answer, ourMs: number): number | null {
  const date = answer.stage === 'answered' ? answer.date : undefined
  return date === undefined ? null : Math.round(date.getTime() + 500 - ourMs)
}

async function whoseWallet(client: Client, ours: WalletRefs, other: WalletRefs | null): Promise<CheckedBank['wallet']> {
  const answer = await askWallet(client, ours)
  if (isSuccess(answer)) return 'known'
  if (!isNotFound(answer)) return null
  return other !== null && isSuccess(await askWallet(client, other)) ? 'other' : 'unknown'
}

function askWallet(client: Client, { customerRef, walletRef }: WalletRefs): Promise<Answer> {
  return client.call({ method: 'GET', path: `/customers/${part(customerRef)}/wallets/${part(walletRef)}` })
}

async function webhookState(client: Client, webhookRef: string): Promise<CheckedBank['webhook']> {
  const read = (row: unknown) => ({ ref: textAt(row, 'id'), status: optionalTextAt(row, 'status') })
  try {
    const list = { name: 'webhooks', path: '/webhooks', read, isPast: () => false }
    const found = (await readWholeList(client, list)).get(webhookRef)
    if (found === undefined) return 'unknown'
    return found.status === 'active' ? 'active' : 'disabled'
  } catch (error) {
    if (error instanceof RailUnavailable) return null
    throw error
  }
}
