// These stories share one system, because starting it takes most of the time.
import { afterAll, beforeAll, describe } from '@jest/globals'
import { type ACollector, aCollector } from '../support/a-collector'
import { openWorld, type World } from '../support/system/world'
import { depositDuringRestart } from './deposit-during-restart'
import { onCall } from './on-call'
import { commandLine } from './partners/command-line'
import { suspendedPartner } from './partners/suspended'
import { temporaryRefusals } from './payouts/refusals'
import { traceSettings, traces } from './traces'

let collector: ACollector
let world: World

beforeAll(async () => {
  collector = await aCollector()
  // Wallets are read only when a story triggers the read, so any other booking was caused by an event.
  const wallets = { WALLET_READ_EVERY_MS: '86400000' }
  const timeouts = { PAYOUT_CALL_MS: '3000', PAYOUT_ANSWER_MS: '30000' }
  world = await openWorld({ env: { ...traceSettings(collector), ...wallets, ...timeouts } })
})
afterAll(async () => {
  await world?.close()
  await collector?.close()
})

// Runs first, because it checks everything that the API and the worker have logged and sent.
describe('traces', () => {
  traces(
    () => world,
    () => collector,
  )
})

describe('deposits during a restart', () => {
  depositDuringRestart(() => world)
})

describe('operator actions', () => {
  onCall(() => world)
})

describe("a partner's command line", () => {
  commandLine(() => world)
})

describe('a suspended partner', () => {
  suspendedPartner(() => world)
})

// Runs last, because it changes how the bank treats repeated refusals.
describe('temporary refusals', () => {
  temporaryRefusals(() => world)
})
