// Wallet commands, with a real database and its ledger.
import { describe, expect, test } from '@jest/globals'
import { latestActivity } from '../../../db/controls/activity'
import { runWith, useOpsPartner, useTerminal } from '../../support/terminal'

const terminal = useTerminal()
const partner = useOpsPartner(terminal)

const credit = (...more: string[]) => terminal.json('wallet', 'credit', '--partner', partner.slug, ...more)

describe('wallet credit', () => {
  test('adds test money to the sandbox wallet and records the operator', async () => {
    expect(await credit('--usdc', '100.00')).toEqual({
      partner: partner.slug,
      environment: 'sandbox',
      credited_usdc: '100.00',
      usdc: '10100.00',
    })

    const [entry] = await latestActivity(terminal.db, partner.id, 1)
    expect(entry).toMatchObject({
      action: 'wallet.credit',
      environment: 'sandbox',
      detail: '100.00 USDC',
      madeBy: expect.stringMatching(/^ops:\S+$/),
    })
  })

  test('creates a separate credit for each call without a reference', async () => {
    await credit('--usdc', '0.01')

    const { code, out } = await terminal.ops('wallet', 'credit', '--partner', partner.slug, '--usdc', '0.01')

    const sentence = `Credited 0.01 USDC to the sandbox wallet of ${partner.slug}, which now holds 10000.02 USDC.\n`
    expect({ code, out }).toEqual({ code: 0, out: sentence })
  })

  test('never credits the same reference twice, even concurrently', async () => {
    const both = await Promise.all([
      credit('--usdc', '5.00', '--reference', 'test-17'),
      credit('--usdc', '5.00', '--reference', 'test-17'),
    ])
    const again = await terminal.ops(
      'wallet',
      'credit',
      '--partner',
      partner.slug,
      '--usdc',
      '5.00',
      '--reference',
      'test-17',
    )

    expect(both).toEqual(
      expect.arrayContaining([
        { partner: partner.slug, environment: 'sandbox', credited_usdc: '5.00', usdc: '10005.00' },
        { partner: partner.slug, environment: 'sandbox', credited_usdc: '0.00', usdc: '10005.00' },
      ]),
    )
    expect(again.out).toBe(
      `That reference was already credited: no money moved, and ${partner.slug} holds 10005.00 USDC.\n`,
    )
  })

  test('creates live money only if the bank is simulated', async () => {
    const live = ['wallet', 'credit', '--partner', partner.slug, '--usdc', '1.00', '--environment', 'live'] as const
    const real = { ...terminal.env, BANK_LIVE_URL: 'https://api.bank.test/v0', BANK_LIVE_KEY: 'sk-live-real' }
    const refusal = {
      code: 2,
      out: '',
      err: 'This works only with a simulated live bank: BANK_LIVE_URL must name one on this machine.\n',
    }

    expect(await terminal.ops(...live)).toEqual(refusal)
    expect(await runWith(real, live)).toEqual(refusal)
    expect(await credit('--usdc', '1.00', '--environment', 'sandbox')).toMatchObject({ usdc: '10001.00' })
  })
})

describe('wallet show', () => {
  test('shows both wallets', async () => {
    const funding_wallet = { currency: 'USDC', chain: 'base', address: null }
    const noneHeld = { held_usdc: '0.00', held: 0 }

    expect(await terminal.json('wallet', 'show', '--partner', partner.slug)).toEqual({
      object: 'list',
      data: [
        { environment: 'sandbox', rail: 'simulated', funding_wallet, usdc: '10000.00', ...noneHeld },
        { environment: 'live', rail: 'provider_production', funding_wallet, usdc: '0.00', ...noneHeld },
      ],
    })
    const { out } = await terminal.ops('wallet', 'show', '--partner', partner.slug)
    expect(out).toMatch(
      /^ENVIRONMENT +USDC +HELD +RAIL +CHAIN +ADDRESS\nsandbox +10000\.00 +0\.00 +simulated +base +-\nlive +0\.00 +0\.00 /,
    )
  })
})
