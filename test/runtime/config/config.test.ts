// Settings have defaults that work, and all mistakes are reported together.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { loadSecrets } from '../../../local/secrets'
import { loadConfig, loadDatabaseUrl, loadOpsConfig } from '../../../runtime/config/config'
import { makeAuthority } from '../../support/certificates'
import { mistakesOf, neededSettings as needed } from '../../support/config'

const randomHex = randomBytes(32).toString('hex')

const mailAndSeller = {
  SMTP_URL: 'smtp://127.0.0.1:1025',
  MAIL_FROM: 'Example Billing <billing@example.test>',
  SELLER_NAME: 'Example Ltd',
  SELLER_ADDRESS: '1 High Street|London\\nEC1A 1AA',
  SELLER_EMAIL: 'accounts@example.test',
  SELLER_VAT_NUMBER: 'GB123456789',
  SELLER_VAT_RATE: '17.5',
  SELLER_BANK: 'Example Bank\nSort code 00-00-00',
}

test('without bank settings there is no bank, and every payout interval has its default', () => {
  const { bank, webhookUrl, taskQueuePrefix, payouts, sweep } = loadConfig(needed)

  expect({ bank, webhookUrl, taskQueuePrefix }).toEqual({
    bank: { sandbox: null, live: null },
    webhookUrl: null,
    taskQueuePrefix: 'payouts',
  })
  expect(payouts).toEqual({
    answerTimeoutMs: 8_000,
    pollMs: [3_000, 5_000, 10_000, 30_000, 60_000, 300_000],
    repeatForMs: 82_800_000,
    listLagMs: 600_000,
    briefCallMs: 1_000,
    briefConnectMs: 500,
    answerWithinMs: 1_500,
    backgroundCallMs: 6_000,
  })
  expect(sweep).toEqual({
    everyMs: 60_000,
    olderThanMs: 10_000,
    settleWithinMs: 7_200_000,
    knownWithinMs: 900_000,
  })
})

test('the API listens on this machine only, unless HOST is set', () => {
  expect(loadConfig(needed).host).toBe('127.0.0.1')
  expect(loadConfig({ ...needed, HOST: '0.0.0.0' }).host).toBe('0.0.0.0')
})

test('by default, sessions end after twelve idle hours or seven days, sign-up is open, and no proxy is trusted', () => {
  const { session, signUp, trustedProxies, temporalUiUrl } = loadConfig(needed)

  expect({ session, signUp, trustedProxies, temporalUiUrl }).toEqual({
    session: { idleMs: 12 * 3_600_000, absoluteMs: 7 * 86_400_000 },
    signUp: 'on',
    trustedProxies: 0,
    temporalUiUrl: null,
  })
  expect(() => loadConfig({ ...needed, SIGN_UP: 'maybe', SESSION_MS: '1' })).toThrow(/SESSION_MS.*SIGN_UP/s)
})

test('the dashboard links to the Temporal Web UI only if the link is switched on', () => {
  const page = { ...needed, TEMPORAL_UI_URL: 'https://temporal.example.com/namespaces/default/' }

  expect(loadConfig(page).temporalUiUrl).toBeNull()
  expect(loadConfig({ ...page, TEMPORAL_UI_LINK: 'off' }).temporalUiUrl).toBeNull()
  expect(loadConfig({ ...page, TEMPORAL_UI_LINK: 'on' }).temporalUiUrl).toBe(
    'https://temporal.example.com/namespaces/default',
  )
  expect(mistakesOf({ ...page, TEMPORAL_UI_LINK: 'yes' })).toEqual([expect.stringContaining('TEMPORAL_UI_LINK')])
})

test('an https URL requires the number of proxies to be set, even to 0', () => {
  const https = { ...needed, PUBLIC_URL: 'https://payouts.example.com', NODE_ENV: 'development' }

  expect(mistakesOf(https)).toEqual([
    'TRUSTED_PROXIES is required when PUBLIC_URL is https: the number of proxies in front of the API, or 0.',
  ])
  expect(loadConfig({ ...https, TRUSTED_PROXIES: '0' }).trustedProxies).toBe(0)
  expect(loadConfig({ ...https, TRUSTED_PROXIES: '2' }).trustedProxies).toBe(2)
  expect(mistakesOf({ ...needed, PUBLIC_URL: 'http://localhost:3000' })).toEqual([])
})

test('a bank is configured by its URL and its key, in the service and in ops', () => {
  const banks = {
    BANK_SANDBOX_URL: 'http://127.0.0.1:8300/v0/',
    BANK_SANDBOX_KEY: 'sk-test-1',
    PAYOUT_POLL_MS: '10,20',
  }
  const { bank, payouts } = loadConfig({ ...needed, ...banks })

  expect(bank).toEqual({ sandbox: { url: 'http://127.0.0.1:8300/v0', key: 'sk-test-1' }, live: null })
  expect(payouts.pollMs).toEqual([10, 20])
  expect(loadOpsConfig({ ...needed, ...banks }).bank).toEqual(bank)
})

test('mail and seller settings are optional, but must be complete', () => {
  expect(loadConfig(needed)).toMatchObject({ mail: null, seller: null })

  const { mail, seller } = loadConfig({ ...needed, ...mailAndSeller })

  expect(mail).toEqual({
    smtpUrl: 'smtp://127.0.0.1:1025',
    from: { name: 'Example Billing', address: 'billing@example.test' },
  })
  expect(seller).toEqual({
    name: 'Example Ltd',
    addressLines: ['1 High Street', 'London', 'EC1A 1AA'],
    email: 'accounts@example.test',
    companyNumber: null,
    vat: { number: 'GB123456789', basisPoints: 1750 },
    paymentLines: ['Example Bank', 'Sort code 00-00-00'],
  })
})

test('a seller without a VAT number charges no VAT, and the other seller settings are required', () => {
  const { SELLER_VAT_NUMBER: _number, SELLER_VAT_RATE: _rate, ...noVat } = mailAndSeller

  expect(loadConfig({ ...needed, ...noVat }).seller?.vat).toBeNull()
  expect(
    mistakesOf({ ...needed, SELLER_NAME: 'Example Ltd', SELLER_VAT_RATE: '20', SMTP_URL: 'smtp://mail.test' }),
  ).toEqual(
    ['MAIL_FROM', 'SELLER_ADDRESS', 'SELLER_EMAIL', 'SELLER_VAT_NUMBER', 'SELLER_BANK'].map(
      (name) => `${name} is required.`,
    ),
  )
})

test('mistakes in mail and seller settings name their variable', () => {
  const wrong = { SMTP_URL: 'http://mail.test', MAIL_FROM: 'a@b\r\nBcc: c@d', SELLER_VAT_RATE: 'a fifth' }

  expect(mistakesOf({ ...needed, ...mailAndSeller, ...wrong })).toEqual([
    'SMTP_URL must be a URL that starts with smtp:// or smtps://.',
    'MAIL_FROM must be an email address, such as billing@example.com or Example <billing@example.com>.',
    'SELLER_VAT_RATE must be a percentage from 0 to 99.99, with at most two decimals.',
  ])
})

test('all mistakes are reported, each with its variable', () => {
  const wrong = {
    BANK_LIVE_URL: 'ftp://bank.test',
    BANK_SANDBOX_URL: 'https://bank.test/v0',
    PAYOUT_POLL_MS: '10,soon',
    PAYOUT_CALL_MS: '99999',
    WEBHOOK_URL: 'here',
    TASK_QUEUE_PREFIX: 'a b',
  }

  expect(mistakesOf({ ...needed, ...wrong })).toEqual([
    'BANK_SANDBOX_KEY is required.',
    'BANK_LIVE_URL must be a URL that starts with http:// or https://.',
    'BANK_LIVE_KEY is required.',
    'WEBHOOK_URL must be a URL that starts with http:// or https://.',
    'TASK_QUEUE_PREFIX must be 1 to 100 letters, digits, dots, hyphens and underscores.',
    'PAYOUT_POLL_MS must be whole numbers from 10 to 86400000, separated by commas.',
    'PAYOUT_CALL_MS must be a whole number from 10 to 3000.',
  ])
})

test.each([
  ['no key at all', ','],
  ['a malformed key', `${needed.SECRET_KEYS},short`],
  ['a duplicate ID', `${needed.SECRET_KEYS},${needed.SECRET_KEYS}`],
])('SECRET_KEYS with %s is reported as one mistake', (_what, SECRET_KEYS) => {
  const mistake =
    'SECRET_KEYS must be a comma-separated list of <id>:<64 hex digits>, each id once, the current key first.'

  expect(mistakesOf({ ...needed, SECRET_KEYS })).toEqual([mistake])
  expect(() => loadOpsConfig({ ...needed, SECRET_KEYS })).toThrow(mistake)
})

test('the service requires SECRET_KEYS, but ops does not', () => {
  const { SECRET_KEYS: _unset, ...rest } = needed

  expect(mistakesOf(rest)).toEqual(['SECRET_KEYS is required.'])
  expect(loadOpsConfig(rest).secretKeys).toEqual([])
})

test('production refuses development secrets, reports all of them together, and shows none', () => {
  const made = {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgresql://payouts:postgres@db/payouts',
    SECRET_KEYS: `k2:${'02'.repeat(32)},local:${randomHex}`,
    BANK_SANDBOX_URL: 'https://bank.test/v0',
    BANK_SANDBOX_KEY: 'sk-test-sandbox-bank',
    BANK_LIVE_URL: 'https://bank.test/v0',
    BANK_LIVE_KEY: `sk-live-local-${'0a'.repeat(16)}`,
  }
  const mistakes = [
    'BANK_LIVE_URL has the same host as BANK_SANDBOX_URL, but BANK_LIVE_SIMULATED is not on: not allowed in production.',
    'SECRET_KEYS has a key (k2) that is not random: not allowed in production.',
    'SECRET_KEYS has a key (local) that `npm start` created: not allowed in production.',
    'BANK_SANDBOX_KEY is an example value: not allowed in production.',
    'BANK_LIVE_KEY was created by `npm start`: not allowed in production.',
    'DATABASE_URL has an example password: not allowed in production.',
  ]

  expect(mistakesOf({ ...needed, ...made })).toEqual(mistakes)
  expect(() => loadOpsConfig({ ...needed, ...made })).toThrow(mistakes[1])
  expect(mistakesOf({ ...needed, ...made, NODE_ENV: 'development' })).toEqual([])
})

test('an https URL without NODE_ENV counts as production, for the API, the worker and ops', () => {
  const https = { ...needed, PUBLIC_URL: 'https://payouts.example.com', TRUSTED_PROXIES: '1', PAYOUT_QUIET_MS: '600' }
  const mistakes = [
    'PAYOUT_QUIET_MS must be a whole number from 300000 to 86400000.',
    'SECRET_KEYS has a key (k1) that is not random: not allowed in production.',
    'DATABASE_URL has no password: not allowed in production.',
  ]

  expect(mistakesOf(https)).toEqual(mistakes)
  expect(() => loadOpsConfig(https)).toThrow(/OPS_USER is required.*not random/s)
  expect(mistakesOf({ ...https, NODE_ENV: 'development' })).toEqual([])
})

test.each([
  ['postgresql://payouts@db/payouts', ['DATABASE_URL has no password: not allowed in production.']],
  ['postgresql://payouts:@db/payouts', ['DATABASE_URL has no password: not allowed in production.']],
  ['postgresql://payouts@db/payouts?sslcert=/run/secrets/cert.pem', []],
  ['postgresql://payouts@localhost/payouts?host=/run/postgresql', []],
])(
  'production refuses a database URL without a password, unless it uses a certificate or a socket: %s',
  (DATABASE_URL, mistakes) => {
    const own = { NODE_ENV: 'production', SECRET_KEYS: `k1:${randomHex}`, DATABASE_URL }

    expect(mistakesOf({ ...needed, ...own })).toEqual(mistakes)
  },
)

test('production accepts strong secrets', () => {
  const own = {
    NODE_ENV: 'production',
    DATABASE_URL: 'postgresql://payouts:Wm3hVb81kq@db/payouts',
    SECRET_KEYS: `k1:${randomHex}`,
    BANK_LIVE_URL: 'https://bank.test/v0',
    BANK_LIVE_KEY: `sk-live-${randomHex.slice(0, 32)}`,
  }

  expect(mistakesOf({ ...needed, ...own })).toEqual([])
})

test('production refuses time limits that would let a payout be both paid and refunded', () => {
  const typed = { PAYOUT_REPEAT_MS: '86400000', PAYOUT_QUIET_MS: '600' }
  const mistakes = [
    'PAYOUT_REPEAT_MS must be a whole number from 3600000 to 82800000.',
    'PAYOUT_QUIET_MS must be a whole number from 300000 to 86400000.',
  ]

  const own = { NODE_ENV: 'production', SECRET_KEYS: `k1:${randomHex}`, DATABASE_URL: 'postgresql://p:Wm3hVb81kq@db/p' }
  expect(mistakesOf({ ...needed, ...typed, ...own })).toEqual(mistakes)
  expect(() => loadOpsConfig({ ...needed, ...typed, NODE_ENV: 'production', OPS_USER: 'ada' })).toThrow(mistakes[1])
  expect(mistakesOf({ ...needed, ...typed })).toEqual([])
})

test('production refuses the secrets that npm start creates', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'payouts-secrets-'))
  const { SECRET_KEYS, bankKeys } = loadSecrets(dataDir)
  rmSync(dataDir, { recursive: true })
  const bank = { BANK_LIVE_URL: 'http://127.0.0.1:8300/v0', BANK_LIVE_KEY: bankKeys.live }
  const sandbox = { BANK_SANDBOX_URL: 'http://127.0.0.1:8300/v0', BANK_SANDBOX_KEY: bankKeys.sandbox }

  const own = { NODE_ENV: 'production', DATABASE_URL: 'postgresql://p:Wm3hVb81kq@db/p' }
  const mistakes = mistakesOf({ ...needed, ...own, SECRET_KEYS, ...bank, ...sandbox })

  expect(mistakes.map((mistake) => mistake.split(' ')[0])).toEqual([
    'BANK_LIVE_URL',
    'SECRET_KEYS',
    'BANK_SANDBOX_KEY',
    'BANK_LIVE_KEY',
  ])
})

test('inconsistent TLS settings are all reported, without their values', () => {
  const [ours, theirs] = [makeAuthority('one').issue('payouts.test'), makeAuthority('two').issue('payouts.test')]
  const tls = { TEMPORAL_TLS: 'on', TEMPORAL_TLS_CERT: ours.certificate, TEMPORAL_TLS_KEY: ours.key }
  const broken = ours.certificate.replace(/^M.{20}/m, 'MIIBnot-a-certificate')
  const withTls = (change: NodeJS.ProcessEnv) => mistakesOf({ ...needed, ...tls, ...change })

  expect(withTls({})).toEqual([])
  expect(withTls({ TEMPORAL_TLS_CA: `${ours.certificate}\n${theirs.certificate}` })).toEqual([])
  expect(withTls({ TEMPORAL_TLS_KEY: '' })).toEqual(['TEMPORAL_TLS_KEY is required when TEMPORAL_TLS_CERT is set.'])
  expect(withTls({ TEMPORAL_TLS_CERT: '' })).toEqual(['TEMPORAL_TLS_CERT is required when TEMPORAL_TLS_KEY is set.'])
  expect(withTls({ TEMPORAL_TLS_KEY: theirs.key })).toEqual(['TEMPORAL_TLS_KEY is not the key of TEMPORAL_TLS_CERT.'])
  expect(withTls({ TEMPORAL_TLS_CERT: ours.key, TEMPORAL_TLS_KEY: ours.certificate, TEMPORAL_TLS_CA: broken })).toEqual(
    [
      'TEMPORAL_TLS_CA must be one or more certificates in PEM format.',
      'TEMPORAL_TLS_CERT must be one or more certificates in PEM format.',
      'TEMPORAL_TLS_KEY must be a private key in PEM format, without a passphrase.',
    ],
  )
  expect(withTls({ TEMPORAL_TLS: 'off', TEMPORAL_TLS_SERVER_NAME: 'temporal.test' })).toEqual([
    'TEMPORAL_TLS_SERVER_NAME is set, but TEMPORAL_TLS is not on.',
    'TEMPORAL_TLS_CERT is set, but TEMPORAL_TLS is not on.',
    'TEMPORAL_TLS_KEY is set, but TEMPORAL_TLS is not on.',
  ])
  expect(withTls({ TEMPORAL_TLS: '', TEMPORAL_API_KEY: 'k' })).toEqual([])
})

test('metrics need a port, and are then served on this machine only', () => {
  expect(loadConfig(needed).metrics).toEqual({ host: '127.0.0.1', apiPort: null, workerPort: null })
  expect(loadConfig({ ...needed, METRICS_PORT: '9464', WORKER_METRICS_PORT: '9465' }).metrics).toEqual({
    host: '127.0.0.1',
    apiPort: 9464,
    workerPort: 9465,
  })
  expect(mistakesOf({ ...needed, METRICS_PORT: '0' })).toEqual(['METRICS_PORT must be a whole number from 1 to 65535.'])
})

test('a setting may come from a file, whose surrounding white space is removed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-config-'))
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const { SECRET_KEYS, DATABASE_URL, ...rest } = needed
  const byFile = { SECRET_KEYS_FILE: file('keys', `${SECRET_KEYS}\n`), DATABASE_URL_FILE: file('url', DATABASE_URL) }
  const missing = { LOG_LEVEL_FILE: join(folder, 'nothing'), PORT_FILE: file('empty', '\n') }

  expect(loadConfig({ ...rest, ...byFile })).toEqual(loadConfig(needed))
  expect(loadOpsConfig({ ...rest, ...byFile })).toEqual(loadOpsConfig(needed))
  expect(loadDatabaseUrl(byFile)).toBe(DATABASE_URL)
  expect(mistakesOf({ ...needed, ...byFile, ...missing })).toEqual([
    'PORT_FILE names an empty file.',
    'DATABASE_URL and DATABASE_URL_FILE are both set; remove one of them.',
    'SECRET_KEYS and SECRET_KEYS_FILE are both set; remove one of them.',
    'LOG_LEVEL_FILE names a file that cannot be read.',
  ])
  rmSync(folder, { recursive: true })
})
