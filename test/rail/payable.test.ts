// Every recipient that the specification accepts can be paid through the sandbox bank.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import * as fc from 'fast-check'
import { anOrder, register, useConnectedPartner } from '../support/bank/a-connected-partner'
import { still, useSandboxBank } from '../support/bank/client'
import { anyRecipient, anyReference } from '../support/bank/recipients'

const bank = useSandboxBank({ delaysMs: still, fsync: 'off', floatMicro: 10n ** 15n })
const { rail, partner } = useConnectedPartner(bank)

describe('every recipient that the specification accepts', () => {
  test('is registered, and paid with any reference', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecipient, anyReference, async (recipient, reference) => {
        const recipientRef = await register(rail, partner.customerRef, recipient)
        const body = rail.transferBody(anOrder({ ...partner, recipientRef }, { reference }))
        const submitted = await rail.submit({ key: randomUUID(), body, call: 'first' })

        expect(submitted.outcome).toBe('accepted')
      }),
      { numRuns: 300 },
    )
  })

  test('can be paid 1.00 and 20000.00', async () => {
    for (const [amountPence, sendsMicroUsdc] of [
      [100n, 1_280_000n],
      [2_000_000n, 25_443_660_000n],
    ] as const) {
      const body = rail.transferBody(anOrder(partner, { amountPence, sendsMicroUsdc }))

      expect(await rail.submit({ key: randomUUID(), body, call: 'first' })).toMatchObject({ outcome: 'accepted' })
    }
  })
})
