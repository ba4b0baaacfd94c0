// Stories that leave the system unchanged share one system, because starting it takes most of the time.
import { afterAll, beforeAll, describe } from '@jest/globals'
import { type ACollector, aCollector } from '../support/a-collector'
import { openWorld, type World } from '../support/system/world'
import { depositDuringRestart } from './deposit-during-restart'
import { onCall } from './on-call'
import { suspendedPartner } from './partners/suspended'
import { refusedForNow } from './payouts/refusals'
import { tracedTo, traces } from './traces'

let collector: ACollector
let world: World

beforeAll(async () => {
  collector = await aCollector()
  // Wallets are only read when a story asks for it, so any other booking was caused by an event.
  const wallets = { WALLET_READ_EVERY_MS: '86400000' }
  const timeouts = { PAYOUT_CALL_MS: '3000', PAYOUT_ANSWER_MS: '30000' }
  world = await openWorld({ env: { ...tracedTo(collector), ...wallets, ...timeouts } })
})
afterAll(async () => {
  await world?.close()
  await collector?.close()
})

// Runs first, because it reads everything that API and worker have written.
describe('traces', () => {
  traces(
    () => world,
    () => collector,
  )
})

describe('deposit during a restart', () => {
  depositDuringRestart(() => world)
})

describe('on call', () => {
  onCall(() => world)
})

describe('suspended', () => {
  suspendedPartner(() => world)
})

// Runs last, because it changes how the bank refuses.
describe('refusals', () => {
  refusedForNow(() => world)
})
