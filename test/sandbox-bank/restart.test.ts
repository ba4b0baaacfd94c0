// The bank loses no answered request: after a restart, after kill -9, and with an incomplete journal line.
import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { clientOf, type Json, openTestBank, quick, reached, still, until } from '../support/bank/client'
import { compileBank, run, spawnBank } from '../support/bank/compiled'
import { anAccount, aParty, aTransfer, balanceOf } from '../support/bank/parties'

let folder: string
let main: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-bank-'))
  main = compileBank(join(folder, 'compiled'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a restart loses nothing, replays the responses for old keys, and resumes waiting transfers', async () => {
  const dataDir = join(folder, 'restart')
  const before = await openTestBank({ dataDir, delaysMs: { ...still, pending: 300 } })
  const party = await aParty(before)
  const [order, key] = [aTransfer(party), randomUUID()]
  const first = await before.post('/transfers', order, { key })
  const balance = await balanceOf(before, party)
  await before.close()

  const after = await openTestBank({ dataDir, delaysMs: quick })
  const again = await after.post('/transfers', order, { key })

  expect(again.text).toBe(first.text)
  expect(await balanceOf(after, party)).toBe(balance)
  await reached(after, first.json.id, 'payment_processed')
  await after.close()
})

test('a stuck transfer is still stuck after a restart, and a planned return still happens', async () => {
  const dataDir = join(folder, 'plans')
  const before = await openTestBank({ dataDir })
  const party = await aParty(before)
  await before.fault({ kind: 'stuck', state: 'error', match: { client_reference_id: 'stuck' } })
  await before.fault({ kind: 'return', ms: 1_500, match: { client_reference_id: 'returned' } })
  const stuck = await before.post('/transfers', aTransfer(party, { client_reference_id: 'stuck' }))
  const returned = await before.post('/transfers', aTransfer(party, { client_reference_id: 'returned' }))
  await reached(before, stuck.json.id, 'error')
  await reached(before, returned.json.id, 'payment_processed')
  await before.close()

  const after = await openTestBank({ dataDir })
  await reached(after, returned.json.id, 'refunded')

  expect((await after.get(`/transfers/${stuck.json.id}`)).json.state).toBe('error')
  await after.close()
})

test('an incomplete last line is dropped and the journal continues, but damage in the middle prevents the start', async () => {
  const dataDir = join(folder, 'torn')
  const path = join(dataDir, 'journal.jsonl')
  const before = await openTestBank({ dataDir })
  const party = await aParty(before)
  await before.close()
  const whole = readFileSync(path, 'utf8')
  appendFileSync(path, '{"seq":99,"at":1,"environment":"sandbox","puts":[["wallets",{"id"')

  const after = await openTestBank({ dataDir })
  const sent = await after.post('/transfers', aTransfer(party))
  await after.close()

  expect(sent.status).toBe(201)
  const lines = readFileSync(path, 'utf8')
  expect(lines.startsWith(whole)).toBe(true)
  for (const line of lines.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow()
  writeFileSync(path, lines.replace('"seq":2', '"seq":'))
  await expect(openTestBank({ dataDir })).rejects.toThrow('damaged')
})

test('text that looks like an amount is still text after reading the journal', async () => {
  const dataDir = join(folder, 'texts')
  const before = await openTestBank({ dataDir, delaysMs: still })
  const party = await aParty(before)
  const order = aTransfer(party, { client_reference_id: '{"$bigint":"5"}' })
  const { json } = await before.post('/transfers', order)
  await before.close()

  const after = await openTestBank({ dataDir, delaysMs: still })

  expect((await after.get(`/transfers/${json.id}`)).json).toEqual(json)
  await after.close()
})

test('kill -9 under load loses no answered request, and every wallet matches its transfers', async () => {
  const args = ['--port', '0', '--data-dir', join(folder, 'killed'), '--settle-ms', '60']
  const acknowledged = new Map<string, { id: string; body: string }>()
  let party = { customer: '', wallet: '', account: '' }

  for (let round = 0; round < 3; round += 1) {
    const bank = await spawnBank(main, args)
    const client = clientOf(bank.url, bank.url)
    if (round === 0) party = await aParty(client)
    for (const [key, { id, body }] of acknowledged) {
      const again = await client.post('/transfers', body, { key })
      expect([again.status, again.json.id]).toEqual([201, id])
    }
    const load = Array.from({ length: 8 }, async () => {
      for (;;) {
        const key = randomUUID()
        const body = JSON.stringify(aTransfer(party, { destination: { amount: '1.00' } }))
        const answer = await client.post('/transfers', body, { key }).catch(() => null)
        if (!answer) return
        acknowledged.set(key, { id: answer.json.id, body })
      }
    })
    await until('enough requests are answered', async () => acknowledged.size >= (round + 1) * 15)
    bank.child.kill('SIGKILL')
    await Promise.all([...load, bank.exited])
  }

  const bank = await spawnBank(main, args)
  const client = clientOf(bank.url, bank.url)
  const transfers: Json[] = (await client.control('GET', '/transfers')).json.data
  const ids = new Set(transfers.map(({ id }) => id))
  expect(acknowledged.size).toBeGreaterThan(30)
  for (const { id } of acknowledged.values()) expect(ids.has(id)).toBe(true)
  expect(new Set(transfers.map(({ client_reference_id }) => client_reference_id)).size).toBe(transfers.length)
  const spent = transfers.reduce((sum, { amount }) => sum + BigInt(amount.replace('.', '')), 0n)
  expect(await balanceOf(client, party)).toBe(10_000_000_000n - spent * 10_000n)
  await until('all transfers are processed', async () => {
    const { data } = (await client.control('GET', '/transfers')).json
    return data.every(({ state }: Json) => state === 'payment_processed')
  })
  bank.child.kill('SIGTERM')
  expect(await bank.exited).toBe(0)
})

test('the process reports that it is ready, and exits with its parent', async () => {
  const { child, exited } = run(main, ['--port', '0', '--data-dir', join(folder, 'parent')])
  const ready = await new Promise((resolve) => child.once('message', resolve))
  child.disconnect()

  expect(ready).toEqual({ ready: true })
  expect(await exited).toBe(0)
})

test('a port in use and a wrong option each print one error message and exit with 1', async () => {
  const bank = await spawnBank(main, ['--port', '0', '--data-dir', join(folder, 'port')])
  const taken = run(main, ['--port', new URL(bank.url).port, '--data-dir', join(folder, 'port-two')])
  const wrong = run(main, ['--settle-ms', 'soon'])
  const unknown = run(main, ['--nonsense', '1'])

  expect(await Promise.all([taken.exited, wrong.exited, unknown.exited])).toEqual([1, 1, 1])
  expect(taken.stderr()).toBe('sandbox bank: The port is in use by another process; choose another with --port.\n')
  expect(wrong.stderr()).toContain('--settle-ms must be a whole number')
  expect(unknown.stderr().trimEnd().split('\n')).toHaveLength(1)
  bank.child.kill('SIGINT')
  expect(await bank.exited).toBe(0)
})

test('registering the same account again is refused as a duplicate, even after a restart', async () => {
  const dataDir = join(folder, 'accounts')
  const account = anAccount()
  const before = await openTestBank({ dataDir })
  const party = await aParty(before)
  const first = await before.post(`/customers/${party.customer}/external_accounts`, account)
  await before.close()

  const after = await openTestBank({ dataDir })
  const again = await after.post(`/customers/${party.customer}/external_accounts`, account)

  expect(again.json).toMatchObject({ code: 'duplicate_external_account', id: first.json.id })
  await after.close()
})
