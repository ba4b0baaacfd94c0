// `bank check`: calls the bank of each environment with its key, and reports problems.
import { findBankWebhook } from '../../db/bank/webhooks'
import { listNewestAtBank, type WalletAtBank } from '../../db/wallets/wallets'
import type { Environment } from '../../domain/environment'
import { type CheckedBank, checkBank } from '../../rail/provider/check'
import { type Command, defineCommand, done, foundProblem } from '../command'
import type { Ops } from '../connect'
import { columns } from '../print'

const check = defineCommand('bank check', {
  about:
    'Checks the bank of each environment: whether it is reachable, the key is accepted and belongs to this environment, the clocks agree and the webhook is active. Exits with 1 if a check fails.',
  async run(ops) {
    const banks = await checkBanks(ops)
    const problems = banks.flatMap(problemsOf)
    const last =
      problems.length === 0
        ? 'All checks passed.'
        : `${problems.length === 1 ? '1 check' : `${problems.length} checks`} failed.`
    const text = [...banks.map(sectionOf), last].join('\n\n')
    const json = { object: 'list', data: banks.map(present) }
    return problems.length === 0 ? done(json, text) : foundProblem(json, text)
  },
})

export const commands: readonly Command[] = [check]

export interface BankReport {
  readonly environment: Environment
  /** Null if no bank is configured. */
  readonly url: string | null
  readonly answerMs: number | null
  readonly checks: readonly Check[]
}

export interface Check {
  readonly name: 'reachable' | 'key' | 'environment' | 'clock' | 'webhook'
  /** `unknown`: not checked, or there is nothing to check. */
  readonly state: 'ok' | 'problem' | 'unknown'
  /** The result in a few words. For a problem, the remedy follows. */
  readonly text: string
}

export async function checkBanks(ops: Ops): Promise<BankReport[]> {
  const wallets = await listNewestAtBank(ops.db)
  return Promise.all((['live', 'sandbox'] as const).map((environment) => reportOn(ops, environment, wallets)))
}

export function problemsOf({ checks }: BankReport): Check[] {
  return checks.filter(({ state }) => state === 'problem')
}

const timeouts = { connectMs: 2_000, callMs: 5_000 }

async function reportOn(ops: Ops, environment: Environment, wallets: readonly WalletAtBank[]): Promise<BankReport> {
  const access = ops.bank[environment]
  const wallet = wallets.find((each) => each.environment === environment) ?? null
  if (access === null) {
    return { environment, url: null, answerMs: null, checks: [withoutBank(environment, wallet)] }
  }
  const otherWallet = wallets.find((each) => each.environment !== environment) ?? null
  const registered = await findBankWebhook(ops.db, environment)
  const wanted = { access, wallet, otherWallet, webhookRef: registered?.webhookRef ?? null }
  const checked = await checkBank(wanted, { clock: ops.clock, timeouts })
  const settings = `BANK_${environment.toUpperCase()}`
  const { origin, pathname } = new URL(access.url)
  return {
    environment,
    url: `${origin}${pathname}`,
    answerMs: checked.reach.outcome === 'no_answer' ? null : checked.answerMs,
    checks: [
      reachable(checked, settings),
      key(checked, settings),
      ofEnvironment(checked, { environment, settings, hasWallet: wallet !== null }),
      clock(checked),
      webhook(checked, registered?.url ?? null, ops.webhookUrl),
    ],
  }
}

function withoutBank(environment: Environment, wallet: WalletAtBank | null): Check {
  const name = `BANK_${environment.toUpperCase()}`
  if (wallet !== null)
    return problem('reachable', `not configured, but partners have wallets at a bank: set ${name}_URL and ${name}_KEY`)
  const effect = environment === 'live' ? 'live payouts get 502' : 'sandboxes use the simulated rail'
  return unknown('reachable', `not configured: ${effect}`)
}

function reachable({ reach, answerMs }: CheckedBank, settings: string): Check {
  const { outcome, detail } = reach
  if (outcome === 'no_answer')
    return problem('reachable', `no answer (${detail}): check the network and ${settings}_URL, then contact the bank`)
  if (outcome === 'failing') return problem('reachable', `failing (${detail}): contact the bank`)
  if (outcome === 'not_the_bank')
    return problem(
      'reachable',
      `no rate at this address (${detail}): ${settings}_URL must be the URL of the bank's API, including its version`,
    )
  return ok('reachable', `yes, in ${answerMs} ms`)
}

function key({ reach: { outcome, detail } }: CheckedBank, settings: string): Check {
  if (outcome === 'accepted') return ok('key', 'accepted')
  if (outcome !== 'rejected_key') return unknown('key', notChecked)
  return problem('key', `key rejected (${detail}): correct ${settings}_KEY, and restart workers and APIs one by one`)
}

interface OfEnvironment {
  readonly environment: Environment
  readonly settings: string
  readonly hasWallet: boolean
}

function ofEnvironment({ wallet }: CheckedBank, { environment, settings, hasWallet }: OfEnvironment): Check {
  if (wallet === 'known') return ok('environment', `${environment}: the bank has our wallets`)
  if (wallet === 'other') {
    const other = environment === 'live' ? 'sandbox' : 'live'
    return problem('environment', `wrong environment: ${settings}_KEY is a ${other} key`)
  }
  if (wallet === 'unknown') {
    const owner = 'the key belongs to another environment or account'
    return problem(
      'environment',
      `wrong environment: the bank does not have our newest ${environment} wallet; ${owner}`,
    )
  }
  return unknown('environment', hasWallet ? notChecked : 'not checked: no partner has a wallet at this bank')
}

/** Far below the maximum ages that we check with our clock: ten minutes for a webhook, a few minutes for a rate. */
const maxAheadMs = 30_000

function clock({ aheadMs }: CheckedBank): Check {
  if (aheadMs === null) return unknown('clock', notChecked)
  const seconds = Math.round(Math.abs(aheadMs) / 1_000)
  if (Math.abs(aheadMs) <= maxAheadMs) return ok('clock', `within ${Math.max(1, seconds)} s of ours`)
  const side = aheadMs > 0 ? 'behind' : 'ahead of'
  return problem(
    'clock',
    `clock differs: ours is ${seconds} s ${side} the bank's; check the time service of this machine`,
  )
}

function webhook({ webhook: state }: CheckedBank, registered: string | null, wanted: string | null): Check {
  if (registered === null)
    return wanted === null
      ? unknown('webhook', 'none: without WEBHOOK_URL payouts settle by polling')
      : problem(
          'webhook',
          "webhook not registered: a worker's log shows why; until it is registered, payouts settle by polling",
        )
  if (wanted !== null && wanted !== registered)
    return problem(
      'webhook',
      `webhook address differs: ${shown(registered)} is registered, WEBHOOK_URL is ${shown(wanted)}; restart a worker`,
    )
  if (state === 'active') return ok('webhook', `active, ${shown(registered)}`)
  if (state === null) return unknown('webhook', notChecked)
  const what = state === 'disabled' ? 'webhook disabled at the bank' : 'webhook unknown to the bank'
  return problem(
    'webhook',
    `${what}: the next sweep of a worker enables or registers it; until then payouts settle by polling`,
  )
}

/** Omits user info and query, which may contain a secret. */
function shown(address: string): string {
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}`
}

const notChecked = 'not checked'

function ok(name: Check['name'], text: string): Check {
  return { name, state: 'ok', text }
}

function unknown(name: Check['name'], text: string): Check {
  return { name, state: 'unknown', text }
}

function problem(name: Check['name'], text: string): Check {
  return { name, state: 'problem', text }
}

function sectionOf({ environment, url, checks }: BankReport): string {
  const rows = checks.map(({ name, state, text }) => [state === 'problem' ? '!' : ' ', name, text])
  return [`${environment}  ${url ?? 'no bank'}`, columns(rows)].join('\n')
}

function present({ environment, url, answerMs, checks }: BankReport) {
  const byName = Object.fromEntries(checks.map(({ name, state, text }) => [name, { state, text }]))
  return { environment, url, answer_ms: answerMs, checks: byName }
}
