// Wallet funding: one address and one bank account per wallet, however often they are requested.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { RailUnavailable } from '../../../rail/rail'
import { useConnectedPartner } from '../../support/bank/a-connected-partner'
import { useSandboxBank } from '../../support/bank/client'
import { json, startScriptedBank } from '../../support/bank/scripted'

const bank = useSandboxBank({ fsync: 'off' })
const { rail, partner } = useConnectedPartner(bank)

const wanted = (change: object = {}) => ({ ...partner, chain: 'base', key: randomUUID(), ...change })

test('a USDC address is created once, even if it is requested with another key, and funds the wallet', async () => {
  const address = await rail.depositAddress(wanted())
  expect(await rail.depositAddress(wanted())).toBe(address)

  const { json: listed } = await bank.get(`/customers/${partner.customerRef}/liquidation_addresses`)
  expect(listed.data).toMatchObject([{ address, chain: 'base', bridge_wallet_id: partner.walletRef }])
  await bank.control('POST', `/liquidation_addresses/${listed.data[0].id}/deposits`, { amount: '12.50' })
  const history = await rail.walletHistory({ ...partner, after: null })
  expect(history.at(-1)).toMatchObject({ kind: 'deposit', amountMicroUsdc: 12_500_000n, transferRef: null })
})

test('a GBP account is created once, and payments to it arrive in the wallet', async () => {
  const account = await rail.bankFunding(wanted())
  expect(await rail.bankFunding(wanted())).toEqual(account)

  expect(account).toEqual({
    fundingRef: expect.any(String),
    sortCode: expect.stringMatching(/^\d{6}$/),
    accountNumber: expect.stringMatching(/^\d{8}$/),
    holderName: 'Analytical Engines Ltd',
    bankName: 'Sandbox Bank',
  })
  await bank.control('POST', `/virtual_accounts/${account.fundingRef}/deposits`, { amount: '100.00' })
  const history = await rail.walletHistory({ ...partner, after: null })
  expect(history.at(-1)).toMatchObject({ kind: 'deposit', transferRef: null })
})

test('another wallet of the same customer has its own address and account', async () => {
  const other = await rail.createWallet({ customerRef: partner.customerRef, chain: 'base', key: randomUUID() })
  const others = () => wanted({ walletRef: other.walletRef })

  expect(await rail.depositAddress(others())).not.toBe(await rail.depositAddress(wanted()))
  expect((await rail.bankFunding(others())).fundingRef).not.toBe((await rail.bankFunding(wanted())).fundingRef)
})

test('closed accounts and accounts in other currencies are ignored, and an unreadable account is an error', async () => {
  const scripted = await startScriptedBank()
  const destination = { bridge_wallet_id: 'w_1' }
  const iban = { id: 'va_1', status: 'activated', destination, source_deposit_instructions: { currency: 'eur' } }
  const closed = { id: 'va_2', status: 'deactivated', destination, source_deposit_instructions: { currency: 'gbp' } }
  const instructions = { currency: 'gbp', sort_code: '040668', account_number: '12345678', bank_name: 'B' }
  const made = { id: 'va_3', source_deposit_instructions: { ...instructions, account_holder_name: 'Acme Ltd' } }
  const refs = { customerRef: 'c_1', walletRef: 'w_1', chain: 'base', key: 'k_1' }
  scripted.answer(({ method }, response) =>
    method === 'GET' ? json(response, 200, { data: [iban, closed] }) : json(response, 201, made),
  )

  expect(await scripted.rail.bankFunding(refs)).toMatchObject({ fundingRef: 'va_3', holderName: 'Acme Ltd' })
  scripted.answer(({ method }, response) =>
    method === 'GET' ? json(response, 200, { data: [] }) : json(response, 201, { ...made, id: '' }),
  )
  await expect(scripted.rail.bankFunding(refs)).rejects.toThrow(RailUnavailable)
  await scripted.close()
})
