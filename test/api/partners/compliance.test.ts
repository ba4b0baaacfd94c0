// GET /v1/compliance: the verification status and the account's limits.
import { expect, test } from '@jest/globals'
import { useApi } from '../../support/api/client'
import { aKey, aPartner } from '../../support/api/fixtures'
import { verificationNotStarted } from '../../support/db/a-partner'

const api = useApi()

test('a new account has not started verification and can pay 1.00 to 20000.00', async () => {
  const partner = await aPartner(api, { verificationStatus: 'not_started' })
  const key = await aKey(api, partner, 'sandbox')

  const { status, body } = await api.get('/v1/compliance', { key })

  expect(status).toBe(200)
  expect(body).toEqual({
    object: 'compliance',
    business_verification: { ...verificationNotStarted, can_start: true },
    account: {
      isolated_wallet: false,
      wallet_chain: null,
      enabled_countries: ['GB'],
      payout_limits_gbp: { min: '1.00', max_per_payout: '20000.00' },
      billing_email: partner.billingEmail,
      contact_email: partner.contactEmail,
    },
    screening: 'not_started',
  })
})

test('screening is in_review once verification has started', async () => {
  const partner = await aPartner(api, { verificationStatus: 'pending' })

  const { body } = await api.get('/v1/compliance', { key: await aKey(api, partner, 'sandbox') })

  expect(body['screening']).toBe('in_review')
})

test.each(['sandbox', 'live'] as const)(
  'a %s wallet is shown as isolated once it exists at the bank',
  async (environment) => {
    const partner = await aPartner(api)
    const key = await aKey(api, partner, environment)
    const accountNow = async () => (await api.get('/v1/compliance', { key })).body['account']
    expect(await accountNow()).toMatchObject({ isolated_wallet: false, wallet_chain: null })

    await api.db.dataSource.query(
      `UPDATE wallets SET customer_ref = id::text, wallet_ref = id::text WHERE partner_id = $1 AND environment = $2`,
      [partner.id, environment],
    )

    expect(await accountNow()).toMatchObject({ isolated_wallet: true, wallet_chain: 'base' })
  },
)

test("the bank's status and the operators' settings are shown unchanged", async () => {
  const partner = await aPartner(api, {
    verificationStatus: 'rejected',
    providerStatus: 'rejected',
    verificationReasons: ['The company could not be found.'],
    continueUrl: 'https://bank.test/verify/8f2c',
    termsUrl: 'https://bank.test/terms',
    screening: 'blocked',
    enabledCountries: [],
    minPayoutPence: 250n,
    maxPayoutPence: 500_000n,
    billingEmail: null,
    contactEmail: 'grace@acme.test',
  })

  const { body } = await api.get('/v1/compliance', { key: await aKey(api, partner, 'sandbox') })

  expect(body).toEqual({
    object: 'compliance',
    business_verification: {
      status: 'rejected',
      provider_status: 'rejected',
      continue_url: 'https://bank.test/verify/8f2c',
      terms_url: 'https://bank.test/terms',
      reasons: ['The company could not be found.'],
      can_start: true,
    },
    account: {
      isolated_wallet: false,
      wallet_chain: null,
      enabled_countries: [],
      payout_limits_gbp: { min: '2.50', max_per_payout: '5000.00' },
      billing_email: null,
      contact_email: 'grace@acme.test',
    },
    screening: 'blocked',
  })
})
