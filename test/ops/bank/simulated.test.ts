// partner create, verify and approve, and wallet credit, with the sandbox bank. Balances are checked at the bank.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import {
  connectSandboxWallet,
  createSandboxWallet,
  openSandboxCustomer,
} from '../../../activities/wallets/connect-sandbox'
import { latestActivity } from '../../../db/controls/activity'
import { findPartnerById, findPartnerBySlug } from '../../../db/partners/partners'
import { findWallet } from '../../../db/wallets/wallets'
import { createRails, type Rails } from '../../../rail/rails'
import { systemClock } from '../../../runtime/clock'
import { connectClient } from '../../../runtime/temporal/client'
import { connectSandboxId, verificationId } from '../../../workflows/names'
import { type Json, keys, useSandboxBank } from '../../support/bank/client'
import { testTemporal } from '../../support/temporal/a-worker'
import { type Ran, runWith, useTerminal } from '../../support/terminal'

const terminal = useTerminal()
const bank = useSandboxBank({ fsync: 'off' })
let rails: Rails
let env: Record<string, string>
let slug = ''
let partnerId = ''
let partners = 0

beforeAll(async () => {
  const url = `${bank.url}/v0`
  const banks = { BANK_SANDBOX_URL: url, BANK_LIVE_URL: url, BANK_SANDBOX_KEY: keys.sandbox, BANK_LIVE_KEY: keys.live }
  env = { ...terminal.env, ...banks }
  const access = { sandbox: { url, key: keys.sandbox }, live: { url, key: keys.live } }
  rails = createRails({ bank: access, clock: systemClock, timeouts: { connectMs: 10_000, callMs: 10_000 } })
})

afterAll(() => rails.close())

beforeEach(async () => {
  partners += 1
  slug = `bank-${partners}`
  const partner = await json('partner', 'create', '--name', 'Acme Ltd', '--slug', slug, '--email', `ada@${slug}.test`)
  partnerId = partner.id
})

describe('partner create', () => {
  const create = (more: Record<string, string>, name: string) => {
    const about = ['--name', 'Acme Ltd', '--slug', name, '--email', 'ada@acme.test']
    return runWith({ ...env, ...more }, ['partner', 'create', ...about, '--json'])
  }

  test('starts the workflow that connects the sandbox', async () => {
    const { address } = testTemporal()
    const created = await create({ TEMPORAL_ADDRESS: address, TASK_QUEUE_PREFIX: 'nobody' }, `soon-${partners}`)

    const temporal = connectClient(testTemporal())
    const handle = temporal.workflow.getHandle(connectSandboxId(JSON.parse(created.out).id))
    expect(await handle.describe()).toMatchObject({ type: 'connectSandbox', taskQueue: 'nobody-housekeeping' })
    await handle.terminate()
    await temporal.connection.close()
  })

  test('succeeds even when Temporal is unavailable', async () => {
    expect(await create({ TEMPORAL_ADDRESS: '127.0.0.1:1' }, `later-${partners}`)).toMatchObject({ code: 0, err: '' })
  })
})

describe('partner verify', () => {
  const verify = (more: Record<string, string> = {}) => {
    const temporal = { TEMPORAL_ADDRESS: testTemporal().address, TASK_QUEUE_PREFIX: 'nobody' }
    return runWith({ ...env, ...temporal, ...more }, ['partner', 'verify', '--partner', slug])
  }
  const status = async () => (await findPartnerById(terminal.db, partnerId))?.verificationStatus

  test('starts the verification workflow once, and records the operator', async () => {
    expect(await verify()).toMatchObject({ code: 0, err: '' })
    expect(await verify()).toMatchObject({ code: 2, err: expect.stringContaining('verification is pending') })

    const temporal = connectClient(testTemporal())
    const handle = temporal.workflow.getHandle(verificationId(partnerId))
    expect(await handle.describe()).toMatchObject({ type: 'verification', taskQueue: 'nobody-housekeeping' })
    await handle.terminate()
    await temporal.connection.close()
    expect(await latestActivity(terminal.db, partnerId, 1)).toMatchObject([
      { action: 'verification.start', environment: 'live', madeBy: expect.stringMatching(/^ops:/) },
    ])
  })

  test.each([
    ['an unavailable Temporal server', { TEMPORAL_ADDRESS: '127.0.0.1:1' }, 1, 'Temporal does not answer'],
    ['a missing Temporal address', { TEMPORAL_ADDRESS: '' }, 1, 'Also set TEMPORAL_ADDRESS'],
    ['a missing live bank', { BANK_LIVE_URL: '' }, 2, 'There is no live bank'],
  ])('reports %s in one sentence, and starts nothing', async (_which, more, code, sentence) => {
    expect(await verify(more)).toMatchObject({ code, out: '', err: expect.stringContaining(sentence) })
    expect(await status()).toBe('not_started')
  })

  test('refuses a suspended partner', async () => {
    await ops('partner', 'suspend', '--partner', slug)

    expect(await verify()).toMatchObject({ code: 2, err: expect.stringContaining('is suspended, not active') })
    expect(await status()).toBe('not_started')
  })
})

describe('partner approve', () => {
  test('verifies the partner, opens its live wallet at the bank, and records the operator', async () => {
    expect(await json('partner', 'approve', '--partner', slug)).toMatchObject({
      slug,
      business_verification: { status: 'approved', provider_status: 'approved' },
      screening: 'clear',
    })

    const wallet = await walletOf('live')
    expect(wallet).toMatchObject({ rail: 'provider_production', address: expect.stringMatching(/^0x/) })
    const ofCustomer = (what: string) => bank.get(`/customers/${wallet.customerRef}/${what}`, { environment: 'live' })
    expect((await ofCustomer(`wallets/${wallet.walletRef}`)).json).toMatchObject({ balances: [{ balance: '0.00' }] })
    // `wallet.address` is a liquidation address, not the wallet's own. Deposits to it arrive in the wallet.
    expect((await ofCustomer('liquidation_addresses')).json.data).toMatchObject([
      { address: wallet.address, bridge_wallet_id: wallet.walletRef },
    ])
    expect((await ofCustomer('virtual_accounts')).json.data).toMatchObject([
      { id: await fundingOf(), destination: { bridge_wallet_id: wallet.walletRef } },
    ])
    expect(await latestActivity(terminal.db, partnerId, 1)).toMatchObject([
      { action: 'partner.approve', environment: 'live', madeBy: expect.stringMatching(/^ops:/) },
    ])
    expect(await json('key', 'create', '--partner', slug, '--environment', 'live')).toMatchObject({
      secret: expect.stringMatching(/^kp_live_/),
    })
  })

  test('takes effect once, even when it runs twice concurrently', async () => {
    await Promise.all([ops('partner', 'approve', '--partner', slug), ops('partner', 'approve', '--partner', slug)])
    const first = await walletOf('live')

    expect((await ops('partner', 'approve', '--partner', slug)).code).toBe(0)

    expect(await walletOf('live')).toEqual(first)
    const actions = (await latestActivity(terminal.db, partnerId, 20)).map(({ action }) => action)
    expect(actions.filter((action) => action === 'partner.approve')).toHaveLength(1)
    const charged = `SELECT kind, amount_micropounds::text AS amount FROM charges WHERE partner_id = $1`
    expect(await terminal.db.dataSource.query(charged, [partnerId])).toEqual([
      { kind: 'verification', amount: '39000000' },
    ])
  })

  test('is refused with a clear message for an email that belongs to another customer of the bank', async () => {
    await ops('partner', 'approve', '--partner', slug)
    const second = `${slug}-second`
    await json('partner', 'create', '--name', 'Acme Ltd', '--slug', second, '--email', `ada@${slug}.test`)

    const refused = await ops('partner', 'approve', '--partner', second)

    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('could not open a verification') })
    expect(await findPartnerBySlug(terminal.db, second)).toMatchObject({
      verificationStatus: 'rejected',
      liveOpenedAt: null,
    })
  })

  test('records when the live account was opened, and a second approval does not change that time', async () => {
    await ops('partner', 'approve', '--partner', slug)
    const opened = (await findPartnerById(terminal.db, partnerId))?.liveOpenedAt

    expect(opened).toBeInstanceOf(Date)
    await ops('partner', 'approve', '--partner', slug)
    expect((await findPartnerById(terminal.db, partnerId))?.liveOpenedAt).toEqual(opened)
  })

  test.each([
    ['no bank', {}],
    ['a remote bank', { BANK_LIVE_URL: 'https://api.bank.test/v0', BANK_LIVE_KEY: 'sk-live-real' }],
    ['a host name that resembles localhost', { BANK_LIVE_URL: 'http://127.0.0.1.bank.test/v0', BANK_LIVE_KEY: 'k' }],
  ])('is refused with %s', async (_which, banks) => {
    const refused = await runWith({ ...terminal.env, ...banks }, ['partner', 'approve', '--partner', slug])

    expect(refused).toMatchObject({ code: 2, out: '', err: expect.stringContaining('simulated live bank') })
    expect(await json('partner', 'show', '--partner', slug)).toMatchObject({
      business_verification: { status: 'not_started' },
    })
  })

  test('reports in one sentence that the bank does not answer, and changes nothing', async () => {
    const withoutBank = { ...env, BANK_LIVE_URL: 'http://127.0.0.1:1/v0' }

    expect(await runWith(withoutBank, ['partner', 'approve', '--partner', slug])).toEqual({
      code: 1,
      out: '',
      err: 'The bank does not answer: check that it is running, then repeat the command.\n',
    })
    expect(await walletOf('live')).toMatchObject({ walletRef: null })
  })
})

describe('wallet credit at a bank', () => {
  test('deposits money at the bank for a connected sandbox, and our ledger matches the bank’s wallet', async () => {
    await connect()

    expect(await credit('--usdc', '100.00')).toMatchObject({ credited_usdc: '100.00', usdc: '10100.00' })
    expect(await credit('--usdc', '0.01')).toMatchObject({ credited_usdc: '0.01', usdc: '10100.01' })

    expect(await heldAtBank('sandbox')).toBe('10100.01')
  })

  test('never credits the same reference twice, whether concurrently, later or with another amount', async () => {
    await connect()

    await Promise.all([credit('--usdc', '5.00', '--reference', 'r-1'), credit('--usdc', '5.00', '--reference', 'r-1')])
    await credit('--usdc', '5.00', '--reference', 'r-1')
    const other = await ops('wallet', 'credit', '--partner', slug, '--usdc', '6.00', '--reference', 'r-1')

    expect(other.out).toBe(`That reference was already credited: no money moved, and ${slug} holds 10005.00 USDC.\n`)
    expect(await heldAtBank('sandbox')).toBe('10005.00')
  })

  test('also books an earlier deposit that is not yet in the ledger', async () => {
    await connect()
    const { walletRef } = await walletOf('sandbox')
    await bank.control('POST', `/wallets/${walletRef}/deposits`, { amount: '7.00' })

    expect(await credit('--usdc', '1.00')).toMatchObject({ usdc: '10008.00' })
    expect(await heldAtBank('sandbox')).toBe('10008.00')
  })

  test('deposits simulated money into a live wallet only after the partner is approved', async () => {
    const live = ['--environment', 'live', '--usdc', '250.00']
    expect(await ops('wallet', 'credit', '--partner', slug, ...live)).toMatchObject({ code: 2 })
    await json('partner', 'approve', '--partner', slug)

    expect(await credit(...live)).toEqual({
      partner: slug,
      environment: 'live',
      credited_usdc: '250.00',
      usdc: '250.00',
    })
    expect(await credit(...live)).toMatchObject({ usdc: '500.00' })
    expect(await heldAtBank('live')).toBe('500.00')
  })

  test('refuses a reference for live money, because uniqueness could not be enforced', async () => {
    const args = ['wallet', 'credit', '--partner', slug, '--environment', 'live', '--usdc', '1.00', '--reference', 'x']

    expect(await ops(...args)).toMatchObject({ code: 2, err: expect.stringContaining('sandbox only') })
  })
})

function ops(...argv: string[]): Promise<Ran> {
  return runWith(env, argv)
}

async function json(...argv: string[]): Promise<Json> {
  const { code, out, err } = await ops(...argv, '--json')
  if (code !== 0) throw new Error(`ops ${argv.join(' ')} exited with ${code}: ${err}`)
  return JSON.parse(out)
}

function credit(...more: string[]): Promise<Json> {
  return json('wallet', 'credit', '--partner', slug, ...more)
}

async function connect(): Promise<void> {
  const deps = { db: terminal.db, clock: systemClock, rails }
  const { verificationRef, customerRef } = await openSandboxCustomer(deps, { partnerId })
  if (customerRef === null) throw new Error('the bank has opened no customer')
  const wallet = await createSandboxWallet(deps, { partnerId, customerRef })
  await connectSandboxWallet(deps, { partnerId, verificationRef, customerRef, ...wallet })
}

async function walletOf(environment: 'sandbox' | 'live') {
  const wallet = await findWallet(terminal.db, partnerId, environment)
  if (wallet === null) throw new Error('a partner must have a wallet')
  return wallet
}

async function fundingOf(): Promise<string> {
  const [row] = await terminal.db.dataSource.query(
    `SELECT funding_ref AS ref FROM wallets WHERE partner_id = $1 AND environment = 'live'`,
    [partnerId],
  )
  return row.ref
}

async function heldAtBank(environment: 'sandbox' | 'live'): Promise<string> {
  const { customerRef, walletRef } = await walletOf(environment)
  const { json: wallet } = await bank.get(`/customers/${customerRef}/wallets/${walletRef}`, { environment })
  return wallet.balances[0].balance
}
