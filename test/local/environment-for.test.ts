// npm start passes the given settings to ops and scripts, and no other variables of its environment.
import { expect, test } from '@jest/globals'
import { environmentFor } from '../../local/environment-for'
import { loadConfig, loadOpsConfig } from '../../runtime/config/config'
import { settings } from '../../runtime/config/settings'

const names = Object.keys(settings)

const found = {
  databaseUrl: 'postgresql://127.0.0.1/payouts',
  temporalAddress: '127.0.0.1:7233',
  secretKeys: `k1:${'0'.repeat(64)}`,
  bank: null,
  mail: null,
  temporalUi: null,
}

test('every given setting except OPS_USER is passed on', () => {
  const given = Object.fromEntries(names.map((name) => [name, `given-${name}`]))

  const { shared } = environmentFor(planWith({ ...given, SOMEBODYS_PASSWORD: 'hunter2' }), found)

  expect(names.length).toBeGreaterThan(60)
  expect(names.filter((name) => shared[name] === undefined)).toEqual(['OPS_USER'])
  expect(shared).toMatchObject({ PAYOUT_QUIET_MS: 'given-PAYOUT_QUIET_MS', PROOF_GRACE_MS: 'given-PROOF_GRACE_MS' })
  expect(JSON.stringify(shared)).not.toContain('hunter2')
})

test('settings in files are also passed on', () => {
  const { shared } = environmentFor(planWith({ PAYOUT_POLL_MS_FILE: '/run/poll' }), found)

  expect(shared['PAYOUT_POLL_MS_FILE']).toBe('/run/poll')
})

test('the dashboard links only to the Web UI of a Temporal server that npm start runs', () => {
  const started = { ...found, temporalUi: 'http://localhost:8233' }
  const linked = (env: Readonly<Record<string, string>>, servers: typeof started | typeof found) =>
    loadConfig(environmentFor(planWith(env), servers).full).temporalUiUrl

  expect(linked({}, started)).toBe('http://localhost:8233/namespaces/default')
  expect(linked({ TEMPORAL_UI_LINK: 'off' }, started)).toBeNull()
  expect(linked({ TEMPORAL_UI_URL: 'https://temporal.example.com/namespaces/default' }, found)).toBeNull()
})

test('npm start sets a support contact, unless one is given', () => {
  const mail = { smtp: 'smtp://127.0.0.1:1025', inbox: 'http://127.0.0.1:8025' }
  const shown = (env: Readonly<Record<string, string>>) =>
    loadConfig(environmentFor(planWith(env), { ...found, mail }).full).supportEmail

  expect(shown({})).toBe('support@payouts.test')
  expect(shown({ SUPPORT_EMAIL: 'help@acme.test' })).toBe('help@acme.test')
})

test('npm start connects to its own Temporal server without another server’s credentials', () => {
  const elsewhere = { TEMPORAL_PROFILE: 'prod', TEMPORAL_API_KEY: 'k', TEMPORAL_TLS_CLIENT_CERT_PATH: '/cert.pem' }

  const { full, shared } = environmentFor(planWith(elsewhere), { ...found, temporalUi: 'http://localhost:8233' })

  expect(loadConfig(full).temporal).toEqual({
    address: '127.0.0.1:7233',
    namespace: 'default',
    tls: null,
    apiKey: null,
  })
  expect(Object.keys(shared)).not.toContain('TEMPORAL_PROFILE')
})

test('ops uses the same time limits as the worker', () => {
  const times = { PAYOUT_REPEAT_MS: '20000', PAYOUT_QUIET_MS: '30000', SWEEP_EVERY_MS: '5000', CASE_TRACE_DUE_MS: '77' }

  const { full, shared } = environmentFor(planWith(times), found)

  const [worker, ops] = [loadConfig(full), loadOpsConfig(shared)]
  expect(ops.payouts).toEqual(worker.payouts)
  expect(ops.payouts).toMatchObject({ repeatForMs: 20_000, listLagMs: 30_000 })
  expect([ops.caseDueMs, ops.verificationPollMs]).toEqual([worker.caseDueMs, worker.verificationPollMs])
  expect(ops.proof).toEqual({ ...worker.proof, ...worker.sweep })
})

function planWith(env: Readonly<Record<string, string>>): Parameters<typeof environmentFor>[0] {
  const servers = { databaseUrl: null, temporalAddress: null, bank: 'ours', mail: 'ours' } as const
  const setPorts = { TEMPORAL_UI_PORT: null, SANDBOX_BANK_PORT: null, MAIL_INBOX_PORT: null }
  return { env, dataDir: '/nowhere', host: '127.0.0.1', port: 3000, api: 'http://localhost:3000', setPorts, ...servers }
}
