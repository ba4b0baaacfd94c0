// The bank of each environment, if any, and which of its rates are used. Production refuses a sandbox bank configured as live and the other way round.
import { hourMs, minuteMs } from './durations'
import { isProduction } from './production'
import type { Reader } from './reader'

export interface BankConfig {
  readonly sandbox: BankAccess | null
  readonly live: BankAccess | null
}

export interface BankAccess {
  /** With the version of the protocol behind it, such as http://127.0.0.1:8300/v0. */
  readonly url: string
  readonly key: string
}

/** When a rate of the bank is used. The bounds keep a typo from switching a check off. */
export interface RateConfig {
  readonly maxAgeMs: number
  readonly midBasisPoints: number
  readonly jumpBasisPoints: number
}

export function readRates(read: Reader): RateConfig {
  return {
    maxAgeMs: read.integer('RATE_MAX_AGE_MS', 15 * minuteMs, minuteMs, hourMs),
    midBasisPoints: read.basisPoints('RATE_MID_PERCENT', '2', 10, 1_000),
    jumpBasisPoints: read.basisPoints('RATE_JUMP_PERCENT', '5', 50, 2_000),
  }
}

export function readBank(read: Reader): BankConfig {
  const access = (environment: 'SANDBOX' | 'LIVE'): BankAccess | null => {
    const url = read.optionalUrl(`BANK_${environment}_URL`)
    return url === null ? null : { url: url.replace(/\/+$/, ''), key: read.text(`BANK_${environment}_KEY`) }
  }
  const bank = { sandbox: access('SANDBOX'), live: access('LIVE') }
  const liveBank = read.oneOf('BANK_LIVE_SIMULATED', ['on', 'off'], 'off') === 'on' ? 'simulated' : 'real'
  if (isProduction(read)) refuseSwappedBanks(read, bank, liveBank)
  return bank
}

/**
 * With the banks swapped, anyone who signs up pays real money from a sandbox wallet that holds test money.
 * A simulated live bank may share its host with the sandbox, and never is the bank's own live host.
 */
function refuseSwappedBanks(read: Reader, { sandbox, live }: BankConfig, liveBank: 'simulated' | 'real'): void {
  const refuse = (name: string, why: string) => read.mistakes.push(`${name} ${why}: production refuses it.`)
  const [sandboxHost, liveHost] = [hostOf(sandbox), hostOf(live)]
  if (sandbox?.key.startsWith('sk-live-')) refuse('BANK_SANDBOX_KEY', 'is a live key (sk-live-…)')
  if (live?.key.startsWith('sk-test-')) refuse('BANK_LIVE_KEY', 'is a test key (sk-test-…)')
  if (isLiveHost(sandboxHost)) refuse('BANK_SANDBOX_URL', 'names a live bank')
  if (liveBank === 'simulated' && isLiveHost(liveHost))
    refuse('BANK_LIVE_SIMULATED', 'is on although BANK_LIVE_URL names a live bank')
  if (liveBank === 'real' && isSandboxHost(liveHost)) refuse('BANK_LIVE_URL', `names a sandbox bank${unlessSimulated}`)
  if (sandbox === null || live === null) return
  if (secretPart(sandbox.key) !== '' && secretPart(sandbox.key) === secretPart(live.key))
    refuse('BANK_LIVE_KEY', 'is the key of BANK_SANDBOX_KEY')
  if (liveBank === 'real' && sandboxHost !== '' && sandboxHost === liveHost)
    refuse('BANK_LIVE_URL', `has the host of BANK_SANDBOX_URL${unlessSimulated}`)
}

const unlessSimulated = ' and BANK_LIVE_SIMULATED is not on'

/** With the port; empty where there is no bank, and for a URL that is reported as a mistake already. */
function hostOf(access: BankAccess | null): string {
  return access !== null && URL.canParse(access.url) ? new URL(access.url).host : ''
}

/** The provider's sandbox is api.sandbox.bridge.xyz. */
function isSandboxHost(host: string): boolean {
  return host.includes('sandbox')
}

/** The provider's live API is api.bridge.xyz. */
function isLiveHost(host: string): boolean {
  if (isSandboxHost(host)) return false
  return /(^|\.)bridge\.xyz(:\d+)?$/.test(host) || /(^|[.-])(live|prod|production)([.:-]|$)/.test(host)
}

function secretPart(key: string): string {
  return key.replace(/^sk-(test|live)-/, '')
}
