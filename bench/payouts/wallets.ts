// Compares payouts from one shared wallet with payouts from a hundred wallets in rotation.
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '../../db/data-source'
import { openKeyring } from '../../db/keyring'
import { createApiKey } from '../../db/partners/api-keys'
import { openPartner } from '../../db/partners/open'
import { systemClock } from '../../runtime/clock'
import { loadConfig } from '../../runtime/config/config'
import { startConnectSandbox } from '../../runtime/temporal/workflows'
import { runLoad } from '../load'
import { type Measured, medianOf, ratioOf } from '../measured'
import { nextPayout } from './requests'
import type { Stage } from './stage'

const wallets = 100
const rounds = 3
const each = { clients: 16, seconds: 2 }

/** Returns the keys of a hundred partners whose sandboxes are connected to the bank. */
export async function openWallets(stage: Stage): Promise<string[]> {
  const { databaseUrl, secretKeys, taskQueuePrefix: queuePrefix } = loadConfig(stage.system.env)
  const clock = systemClock
  const db = await openDatabase({ url: databaseUrl, poolSize: 4, onError: () => undefined })
  const keyring = openKeyring(secretKeys)
  const secrets: string[] = []
  for (let n = 1; n <= wallets; n++) {
    const about = { name: `Bench ${n}`, slug: `bench-${n}`, email: `bench-${n}@payouts.test`, createdBy: 'bench' }
    const opened = await openPartner({ db, clock }, about)
    if (opened.outcome !== 'opened') throw new Error(`the partner ${about.slug} already exists`)
    const order = { partnerId: opened.partner.id, environment: 'sandbox', label: null, createdBy: 'bench' } as const
    const made = await db.transaction((tx) => createApiKey(tx, { ...order, at: clock.now(), keyring }))
    if (made.outcome === 'created') secrets.push(made.secret)
    await startConnectSandbox({ temporal: stage.temporal, queuePrefix }, opened.partner.id)
  }
  await db.close()
  await untilConnected(stage)
  return secrets
}

export async function measureHotWallet(stage: Stage, secrets: readonly string[]): Promise<string[]> {
  const { port, system } = stage
  const from = (keys: readonly string[]) => runLoad({ port, next: () => nextPayout(keys).text, status: 201 }, each)
  const taken: { hot: Measured[]; hundred: Measured[] } = { hot: [], hundred: [] }
  // A wallet's first payout to a recipient also registers them at the bank, which must not count here.
  await runLoad({ port, next: () => nextPayout(secrets).text, status: 201 }, { ...each, seconds: 4 })
  await stage.gate('shut')
  for (let round = 0; round < rounds; round++) {
    taken.hot.push(await from([system.sandboxKey]))
    taken.hundred.push(await from(secrets))
  }
  await stage.gate('open')
  const perSecond = (rounds: readonly Measured[]) => medianOf(rounds, 'perSecond').toFixed(1)
  const ratio = ratioOf(taken.hot, taken.hundred, 'perSecond').toFixed(2)
  return [
    `Accepting from one hot wallet ${perSecond(taken.hot)}/s, from ${wallets} wallets ${perSecond(taken.hundred)}/s`,
    `  ratio: ${ratio} (aim: at least 0.90)`,
  ]
}

export async function untilConnected({ sql }: Pick<Stage, 'sql'>): Promise<void> {
  const simulated = `SELECT count(*)::int AS count FROM wallets WHERE environment = 'sandbox' AND rail = 'simulated'`
  for (;;) {
    const { rows } = await sql.query<{ count: number }>(simulated)
    if (rows[0]?.count === 0) return
    await wait(200)
  }
}
