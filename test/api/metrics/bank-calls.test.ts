// The counters for requests to the bank, and the alerts that they raise.
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { createBankMetrics } from '../../../api/metrics/requests'
import { createRails, type Rails } from '../../../rail/rails'
import { systemClock } from '../../../runtime/clock'
import { loadConfig } from '../../../runtime/config/config'
import { asText } from '../../../runtime/metrics'
import { firingFor } from '../../support/api/alert-rules'
import { aConnectedPartner, aPayee } from '../../support/bank/a-connected-partner'
import { accessTo, useSandboxBank } from '../../support/bank/client'
import { neededSettings } from '../../support/config'

const bank = useSandboxBank({ fsync: 'off' })
let figures: ReturnType<typeof createBankMetrics>
let rails: Rails

beforeEach(() => {
  figures = createBankMetrics(['sandbox', 'live'])
  const timeouts = { connectMs: 20_000, callMs: 20_000 }
  rails = createRails({ bank: accessTo(bank), clock: systemClock, timeouts, onCall: figures.count })
})
afterEach(async () => {
  rails.close()
  await bank.control('DELETE', '/faults')
})

test('requests are counted by environment, operation and outcome, starting at 0, with their durations', async () => {
  const before = shown()
  await bank.fault({ kind: 'status', status: 503, times: 1 })
  await rails.provider_production.rate().catch(() => null)
  await rails.provider_production.rate()

  const series = (outcome: string) =>
    `payouts_bank_requests_total{environment="live",operation="read_rate",outcome="${outcome}"}`
  expect(before).toContain(`${series('server_error')} 0\n`)
  expect(shown()).toContain(`${series('server_error')} 1\n`)
  expect(shown()).toContain(`${series('ok')} 1\n`)
  expect(shown()).toContain('payouts_bank_request_seconds_count{environment="live",operation="read_rate"} 2\n')
})

test('three failed requests of one kind raise PayoutsBankFailing until as many have succeeded', async () => {
  await bank.fault({ kind: 'status', status: 500, times: 3 })
  const firing: string[][] = []
  for (let call = 0; call < 6; call++) {
    await rails.provider_sandbox.rate().catch(() => null)
    firing.push(firingFor('PayoutsBankFailing', '', shown()))
  }

  const isFailing = ['sandbox read_rate']
  expect(firing).toEqual([[], [], isFailing, isFailing, isFailing, []])
})

test('one failed registration raises PayoutsRegistrationFailing, but a refused account does not', async () => {
  const rail = rails.provider_sandbox
  const { customerRef } = await aConnectedPartner(rail)
  const register = (sortCode: string) =>
    rail.registerRecipient({ customerRef, recipient: aPayee({ sortCode }), key: randomUUID() })
  const begun = shown()

  expect(await register('not-a-code')).toMatchObject({ outcome: 'rejected' })
  const afterRefusal = shown()
  await bank.fault({ kind: 'status', status: 500, times: 1 })
  expect(await register('200415')).toMatchObject({ outcome: 'unavailable', cause: 'HTTP 500' })

  expect(firingFor('PayoutsRegistrationFailing', begun, afterRefusal)).toEqual([])
  expect(firingFor('PayoutsRegistrationFailing', afterRefusal, shown())).toEqual(['sandbox'])
})

test('a single payout makes its third bank call soon enough to raise the alert within two minutes', () => {
  const { pollMs, briefCallMs, backgroundCallMs } = loadConfig(neededSettings).payouts
  const [scrapeMs, evaluationMs] = [15_000, 15_000]

  const thirdMs = briefCallMs + (pollMs[0] ?? 0) + backgroundCallMs + (pollMs[1] ?? 0) + backgroundCallMs

  expect(thirdMs + scrapeMs + evaluationMs).toBeLessThan(120_000)
})

function shown(): string {
  return asText(figures.metrics())
}
