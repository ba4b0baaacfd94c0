// GB external accounts: strict fields, uniqueness per customer and number, closing and reopening, and the payee check.
import { beforeAll, expect, test } from '@jest/globals'
import { until, useSandboxBank } from '../support/bank/client'
import { anAccount, aParty, aTransfer, type Party } from '../support/bank/parties'

const bank = useSandboxBank({ verifyMs: 100 })
let party: Party
let path: string
beforeAll(async () => {
  party = await aParty(bank)
  path = `/customers/${party.customer}/external_accounts`
})

test('an account is registered and shows only its last four digits', async () => {
  const account = anAccount({ account: { sort_code: '112233', account_number: '44556677' } })

  const { status, json, text } = await bank.post(path, account)

  expect(status).toBe(201)
  expect(json).toMatchObject({
    active: true,
    currency: 'gbp',
    account_type: 'gb',
    account: { sort_code: '112233', last_4: '6677' },
    business_name: null,
  })
  expect(text).not.toContain('44556677')
  expect((await bank.get(`${path}/${json.id}`)).json).toEqual(json)
})

const account = (change: object) => ({ account: { sort_code: '112233', account_number: '99999999', ...change } })
const address = (change: object) => ({
  address: { street_line_1: '10 High St', city: 'London', country: 'GBR', ...change },
})

test('an invalid field is refused, and the error names it', async () => {
  const wrong: [string, object][] = [
    ['currency', { currency: 'eur' }],
    ['account_type', { account_type: 'iban' }],
    ['account_owner_name', { account_owner_name: undefined }],
    ['account_owner_name', { account_owner_name: 'x'.repeat(36) }],
    ['account_owner_name', { account_owner_name: '   ' }],
    ['first_name', { first_name: 'x'.repeat(36) }],
    ['business_name', { account_owner_type: 'business' }],
    ['account.sort_code', account({ sort_code: '11-22-33' })],
    ['account.account_number', account({ account_number: '1234567' })],
    ['account.account_number', account({ account_number: 12345678 })],
    ['address.street_line_1', address({ street_line_1: 'abc' })],
    ['address.street_line_1', address({ street_line_1: 'x'.repeat(36) })],
    ['address.street_line_2', address({ street_line_2: 'x'.repeat(36) })],
    ['address.state', address({ state: 'Kent' })],
    ['address.country', address({ country: 'GB' })],
  ]
  for (const [key, change] of wrong) {
    const { status, json } = await bank.post(path, anAccount(change))
    expect([status, json.code, json.source]).toEqual([400, 'invalid_parameters', { location: 'body', key }])
  }
})

test('the address is optional', async () => {
  expect((await bank.post(path, anAccount({ address: undefined }))).status).toBe(201)
})

test('registering the same account again gets 400 duplicate_external_account with the existing id', async () => {
  const account = anAccount()
  const first = await bank.post(path, account)

  const again = await bank.post(path, { ...account, account_owner_name: 'A Lovelace' })
  const elsewhere = await bank.post(`/customers/${(await aParty(bank)).customer}/external_accounts`, account)

  expect(again.status).toBe(400)
  expect(again.json).toMatchObject({ code: 'duplicate_external_account', id: first.json.id })
  expect(elsewhere.status).toBe(201)
})

test('a closed account accepts no transfer until it is reopened', async () => {
  const { json } = await bank.post(path, anAccount())
  const order = () => aTransfer({ ...party, account: json.id })

  const closed = await bank.post(`${path}/${json.id}/deactivate`, {})
  const refused = await bank.post('/transfers', order())
  const opened = await bank.post(`${path}/${json.id}/reactivate`, {})
  const accepted = await bank.post('/transfers', order())
  const deleted = await bank.send('DELETE', `${path}/${json.id}`)

  expect(closed.json).toMatchObject({ active: false, deactivation_reason: 'requested_by_developer' })
  expect(refused.json).toMatchObject({ code: 'deactivated_external_account' })
  expect(opened.json.active).toBe(true)
  expect(accepted.status).toBe(201)
  expect(deleted.json).toMatchObject({ active: false, deactivation_reason: 'deleted_by_developer' })
})

test('only one payee check runs at a time, and it ends without a second request', async () => {
  const { json } = await bank.post(path, anAccount())

  // Sends both requests concurrently, because otherwise the first check may end before the second starts.
  const both = await Promise.all([1, 2].map(() => bank.post(`${path}/${json.id}/verify`, undefined)))
  const [started, twice] = both.toSorted((one, other) => one.status - other.status)
  const done = await until('the payee check has ended', async () => {
    const { account_verification } = (await bank.get(`${path}/${json.id}`)).json
    return account_verification.completed_at && account_verification
  })

  expect(started?.json.account_verification).toMatchObject({ gb: { match_level: 'pending' }, completed_at: null })
  expect([twice?.status, twice?.json.code]).toEqual([409, 'resource_state_conflict'])
  expect(done.gb).toMatchObject({
    match_level: 'match',
    reason_code: 'MATC',
    validated_account_owner_name: 'Ada Lovelace',
  })
})

test('a test can set the result of a payee check and close an account', async () => {
  const { json } = await bank.post(path, anAccount())

  await bank.control('POST', `/external_accounts/${json.id}`, {
    match_level: 'close_match',
    reason_code: 'MBAM',
    deactivation_reason: 'rejected_by_bank_provider',
  })
  const after = await bank.get(`${path}/${json.id}`)

  expect(after.json).toMatchObject({
    active: false,
    deactivation_reason: 'rejected_by_bank_provider',
    account_verification: { gb: { match_level: 'close_match' } },
  })
})

test('another customer’s account is not found and cannot be paid', async () => {
  const other = await aParty(bank)

  expect((await bank.get(`${path}/${other.account}`)).status).toBe(404)
  expect((await bank.post('/transfers', aTransfer({ ...party, account: other.account }))).json).toMatchObject({
    code: 'not_found',
  })
})
