// Filters of GET /v1/payouts with generated values: PostgreSQL accepts every value that the schema accepts,
// so no value causes a 500.
import { beforeAll, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { useApi } from '../../support/api/client'
import { aKey, aPartner, aPayoutRow } from '../../support/api/fixtures'
import { anyCharacter } from '../../support/bank/recipients'

const api = useApi()
let key: string

beforeAll(async () => {
  const partner = await aPartner(api)
  key = await aKey(api, partner, 'sandbox')
  await aPayoutRow(api, partner)
})

const digits = (max: number, length: number) => fc.nat(max).map((n) => String(n).padStart(length, '0'))

/** Strings shaped like date-times, valid and invalid: month 13, hour 24, second 60, unused time zones, year 0. */
const almostDateTime = fc
  .tuple(
    digits(10_000, 4),
    digits(13, 2),
    digits(32, 2),
    fc.constantFrom('T', ' ', 't'),
    digits(24, 2),
    digits(60, 2),
    digits(60, 2),
    fc.constantFrom('', '.1', '.123456', '.123456789', '.1234567890'),
    fc.oneof(fc.constantFrom('Z', 'z', ''), fc.tuple(fc.constantFrom('+', '-'), digits(24, 2), digits(60, 2))),
  )
  .map(([year, month, day, separator, hour, minute, second, fraction, zone]) => {
    const offset = Array.isArray(zone) ? `${zone[0]}${zone[1]}:${zone[2]}` : zone
    return `${year}-${month}-${day}${separator}${hour}:${minute}:${second}${fraction}${offset}`
  })

const anyText = fc.string({ unit: anyCharacter, maxLength: 130 })

test.each([
  ['created_after', almostDateTime],
  ['created_before', almostDateTime],
  ['completed_after', almostDateTime],
  ['completed_before', almostDateTime],
  ['updated_after', almostDateTime],
  ['q', anyText],
  ['reference', anyText],
  ['idempotency_key', anyText],
  ['account_last4', anyText],
  ['amount_min', anyText],
  [
    'amount_max',
    fc.oneof(
      anyText,
      fc.bigInt({ min: 0n }).map((pounds) => `${pounds}.00`),
    ),
  ],
  ['created_by', anyText],
  ['starting_after', anyText],
  ['status', anyText],
  ['limit', anyText],
  ['sort', anyText],
])('any value of %s is answered with 200 or 422', async (name, values) => {
  await fc.assert(
    fc.asyncProperty(values, async (value) => {
      const { status } = await api.get(`/v1/payouts?${new URLSearchParams({ [name]: value }).toString()}`, { key })

      expect([200, 422]).toContain(status)
    }),
    { numRuns: 150 },
  )
})

test('a valid date-time is accepted in any time zone', async () => {
  const right = fc
    .tuple(
      fc.date({ min: new Date('1000-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true }),
      fc.constantFrom('Z', '+00:00', '-00:00', '+14:00', '-12:00', '+05:45'),
    )
    .map(([date, zone]) => date.toISOString().replace('Z', zone))

  await fc.assert(
    fc.asyncProperty(right, async (value) => {
      const query = new URLSearchParams({ created_after: value }).toString()

      expect((await api.get(`/v1/payouts?${query}`, { key })).status).toBe(200)
    }),
    { numRuns: 50 },
  )
})
