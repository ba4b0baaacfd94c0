// Billing commands with a real worker: months are billed once, and every status change records the operator.
import { beforeAll, expect, test } from '@jest/globals'
import { addChargedPartners } from '../../../bench/charged-partners'
import { latestActivity } from '../../../db/controls/activity'
import { findPartnerBySlug } from '../../../db/partners/partners'
import { londonMonthOf, monthInWords, previousMonth } from '../../../domain/month'
import { systemClock } from '../../../runtime/clock'
import { testSystem } from '../../support/jest/system'
import { useWorker } from '../../support/temporal/a-worker'
import { oneSentence, runWith } from '../../support/terminal'

const thisMonth = londonMonthOf(systemClock.now())
const period = previousMonth(thisMonth)
const monthText = monthInWords(period)
const worker = useWorker({ clock: systemClock })
let env: Record<string, string>

beforeAll(async () => {
  env = {
    DATABASE_URL: worker.databaseUrl,
    TEMPORAL_ADDRESS: testSystem().temporalAddress,
    TASK_QUEUE_PREFIX: worker.queuePrefix,
  }
})

const ops = (...argv: string[]) => runWith(env, ['invoices', ...argv])
const json = async (...argv: string[]) => JSON.parse((await ops(...argv, '--json')).out)

test('preview shows each line that a run would bill, with its unit price, and writes nothing', async () => {
  await chargedPartners('seen', 2)

  const { code, out } = await ops('preview', '--period', period)
  const one = await json('preview', '--period', period, '--partner', 'seen-1')

  expect(code).toBe(0)
  expect(out).toMatch(/seen-1\n {2}DESCRIPTION +QUANTITY +UNIT GBP +AMOUNT GBP\n/)
  expect(out).toMatch(/\n {2}Payout fees for 2 completed payouts +1 +2\.04 +2\.04\n/)
  expect(out).toMatch(/\n {2}Network fees +2 +0\.022 +0\.04\n/)
  expect(out).toMatch(new RegExp(`\\n\\n${monthText}: 2 to bill, 34\\.16 GBP in total\\. Nothing was written\\.\\n$`))
  expect(one.data).toMatchObject([
    {
      partner: 'seen-1',
      outcome: 'new',
      total_gbp: '17.08',
      lines: [{}, {}, { kind: 'network_fees', quantity: 2, unit_amount_gbp: '0.022', amount_gbp: '0.04' }],
    },
  ])
  expect(await countInvoices()).toBe(0)
})

test('run reports each partner’s invoice and the number issued, and a rerun issues none', async () => {
  const ran = await ops('run', '--period', period)
  const again = await ops('rerun', '--period', period)

  expect(ran.code).toBe(0)
  expect(ran.out).toMatch(/^ {4}1 {2}seen-\d: issued INV-\d{4}-00000\d, 17\.08 GBP\n/)
  expect(ran.out).toContain(`\n${monthText}: 2 invoices were issued.\n`)
  expect(again.out).toBe(`${monthText}: no invoice was issued; 2 already had one.\n`)
  expect(await countInvoices()).toBe(2)
})

test('two concurrent commands for the same month join one run', async () => {
  await chargedPartners('both', 3)

  const both = await Promise.all([json('run', '--period', period), json('run', '--period', period)])

  expect(both.map(({ issued }) => issued)).toEqual([3, 3])
  expect(await countInvoices()).toBe(5)
})

test('run with --partner bills only that partner', async () => {
  await chargedPartners('named', 2)

  const first = await json('run', '--period', period, '--partner', 'named-1')
  const again = await ops('run', '--period', period, '--partner', 'named-1')
  await ops('run', '--period', period)

  expect(first).toEqual({
    object: 'invoice_run',
    period,
    issued: 1,
    already: 0,
    nothing: 0,
    elsewhere: 0,
    failed: 0,
  })
  expect(again.out).toMatch(/named-1: already has INV-/)
  expect(again.out).toMatch(/no invoice was issued/)
})

test('a partner that cannot be billed is named, the command fails, and a rerun after the fix bills it', async () => {
  await chargedPartners('broken', 2)
  const { id } = (await findPartnerBySlug(worker.db, 'broken-1')) ?? { id: '' }
  const planted = `ALTER TABLE invoices ADD CONSTRAINT planted CHECK (partner_id <> '${id}') NOT VALID`
  await worker.db.dataSource.query(planted)

  const failed = await ops('run', '--period', period)
  await worker.db.dataSource.query('ALTER TABLE invoices DROP CONSTRAINT planted')
  const fixed = await json('rerun', '--period', period)

  expect(failed.code).toBe(2)
  expect(failed.err).toMatch(oneSentence)
  expect(failed.err).toContain(`1 partner could not be billed for ${monthText}: broken-1;`)
  expect(fixed).toMatchObject({ issued: 1, failed: 0 })
})

test.each([
  [
    ['run', '--period', thisMonth],
    `${monthInWords(thisMonth)} is not over yet: it can be billed from the 1st of the next month.\n`,
  ],
  [['run', '--period', period, '--partner', 'nobody'], 'There is no partner nobody.\n'],
  [['run', '--period', '2026-13'], '--period must be a month, such as 2026-10.\n'],
  [['preview', '--period', period, '--partner', 'nobody'], 'There is no partner nobody.\n'],
  [['preview', '--period', '9999-12'], 'December 9999 has not begun yet.\n'],
  [
    ['mark-paid', '--period', period, '--partner', 'seen-1', '--on', `${period}-15`],
    /^--on must not be before \d{4}-\d\d-\d\d, when INV-/,
  ],
  [['credit', '--partner', 'nobody', '--amount', '1.00', '--reason', 'x'], 'There is no partner nobody.\n'],
  [['credit', '--partner', 'seen-1', '--amount', '0.00', '--reason', 'x'], /^--amount must be pounds/],
  [['void', '--period', period, '--partner', 'seen-1'], '`invoices void` needs --reason.\n'],
  [['mark-paid', '--period', period, '--partner', 'seen-1', '--on', '2026-02-30'], /^--on must be a day/],
  [['mark-paid', '--period', period, '--partner', 'seen-1', '--on', '2999-01-01'], '--on must not be in the future.\n'],
])('a wrong command is refused with a message: %j', async (argv, sentence) => {
  const { code, out, err } = await ops(...argv)

  expect({ code, out }).toEqual({ code: 2, out: '' })
  expect(err).toMatch(oneSentence)
  expect(err).toEqual(expect.stringMatching(sentence))
})

test('mark-paid, mark-unpaid and void work only from the allowed statuses, and the activity list names the operator', async () => {
  const which = ['--period', period, '--partner', 'seen-2']
  const voiding = ['void', ...which, '--reason', 'wrong address']

  const paid = await ops('mark-paid', ...which)
  const twice = await ops('mark-paid', ...which)
  const tooEarly = await ops(...voiding)
  const unpaid = await ops('mark-unpaid', ...which)
  const voided = await ops(...voiding)
  const gone = await ops(...voiding)

  const number = /INV-\d{4}-\d{6}/.exec(paid.out)?.[0] ?? ''
  expect([paid, unpaid, voided].map(({ out }) => out)).toEqual([
    `${number} is now paid.\n`,
    `${number} is now open.\n`,
    `${number} is now void.\n`,
  ])
  expect(twice.err).toBe(`${number} is already paid.\n`)
  expect(tooEarly.err).toBe(`${number} is paid: run \`invoices mark-unpaid\` first.\n`)
  expect(gone.err).toBe(`seen-2 has no invoice for ${monthText} that is open or paid.\n`)
  const { id = '' } = (await findPartnerBySlug(worker.db, 'seen-2')) ?? {}
  const entries = await latestActivity(worker.db, id, 10)
  expect(entries.map(({ action, detail }) => [action, detail])).toEqual([
    ['invoice.void', number],
    ['invoice.mark_unpaid', number],
    ['invoice.mark_paid', number],
  ])
  expect(entries[0]?.madeBy).toMatch(/^ops:\S+$/)
})

test('a credit appears on the next invoice once per reference, or once per call without a reference', async () => {
  const credit = (amount: string, ...argv: string[]) =>
    ops('credit', '--partner', 'seen-1', '--amount', amount, '--reason', 'charged twice', ...argv)
  const thisMonthOf = async () => (await json('preview', '--period', thisMonth, '--partner', 'seen-1')).data[0].lines

  const first = await credit('5.00', '--reference', 'case-17')
  const again = await credit('5.00', '--reference', 'case-17')
  const other = await credit('6.00', '--reference', 'case-17')

  expect(first.out).toBe(
    `seen-1 is credited 5.00 GBP on the invoice for ${monthInWords(thisMonth)} or a later month.\n`,
  )
  expect(again.out).toBe('seen-1 was already credited 5.00 GBP.\n')
  expect(other.err).toBe('The reference case-17 was used for a credit of 5.00 GBP: use another --reference.\n')
  expect(await thisMonthOf()).toContainEqual(expect.objectContaining({ kind: 'credit', amount_gbp: '5.00' }))

  await credit('5.00')
  await credit('5.00')
  expect(await thisMonthOf()).toContainEqual(expect.objectContaining({ kind: 'credit', amount_gbp: '15.00' }))
  const { id = '' } = (await findPartnerBySlug(worker.db, 'seen-1')) ?? {}
  const entries = await latestActivity(worker.db, id, 10)
  expect(entries.map(({ action, detail }) => [action, detail])).toEqual(
    [1, 2, 3].map(() => ['invoice.credit', '5.00 GBP: charged twice']),
  )
})

test('after a void, a rerun bills the charges again with a new number, and list shows both invoices', async () => {
  await ops('rerun', '--period', period)

  const { data } = await json('list', '--period', period, '--partner', 'seen-2')
  const { out } = await ops('list', '--period', period)

  expect(data.map(({ status, total_gbp }: { status: string; total_gbp: string }) => [status, total_gbp])).toEqual([
    ['void', '17.08'],
    ['open', '17.08'],
  ])
  expect(out).toMatch(/^NUMBER +PARTNER +PERIOD +STATUS +TOTAL GBP +ISSUED +DUE +PAID +VOID +MAILED\nINV-/)
})

test('list shows all invoices with their sums, with --open only unpaid ones, and with --overdue only late ones', async () => {
  const count = await countInvoices()
  await insertOverdue('seen-1')

  const all = await json('list')
  const open = await json('list', '--open')
  const [overdue, ...others] = (await json('list', '--overdue')).data
  const { out } = await ops('list', '--overdue')
  const none = await ops('list', '--overdue', '--partner', 'seen-2')

  expect(all.data).toHaveLength(count + 1)
  expect(new Set(open.data.map(({ status }: { status: string }) => status))).toEqual(new Set(['open']))
  expect(open.data.length).toBeLessThan(all.data.length)
  expect(others).toEqual([])
  expect(overdue).toMatchObject({ partner: 'seen-1', period: '2020-01', total_gbp: '17.08', overdue_days: 3 })
  expect(out).toMatch(/^INV-2020-000001 +seen-1 +2020-01 +3 d overdue +17\.08 /m)
  expect(out).toMatch(/\nOpen: 1, 17\.08 GBP\. Overdue: 1, 17\.08 GBP\.\n$/)
  expect(none.out).toBe('There are no overdue invoices.\n')
})

test('an unavailable Temporal server is reported in one sentence', async () => {
  const { code, err } = await runWith({ ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' }, [
    'invoices',
    'run',
    '--period',
    period,
  ])

  expect(code).toBe(1)
  expect(err).toBe('Temporal does not answer: check that it is running, then repeat the command.\n')
})

function chargedPartners(name: string, partners: number): Promise<void> {
  return addChargedPartners(worker.db.dataSource, { partners, chargesEach: 4, month: period, name })
}

/** Inserts an invoice that was due three calendar days ago in London, where not every day has 24 hours. */
async function insertOverdue(slug: string): Promise<void> {
  const run = (text: string) => worker.db.dataSource.query(text)
  await run(`INSERT INTO invoices (id, partner_id, period, status, total_pence, created_at)
    SELECT gen_random_uuid(), id, '2020-01-01', 'draft', 0, now() FROM partners WHERE slug = '${slug}'`)
  await run(`INSERT INTO invoice_lines (id, invoice_id, position, kind, description, quantity, unit_amount_micropounds, amount_pence)
    SELECT gen_random_uuid(), id, 0, 'payout_fees', 'Payout fees', 1, 17080000, 1708 FROM invoices WHERE status = 'draft'`)
  await run(`INSERT INTO invoice_numbers (year, last_number) VALUES (2020, 1)`)
  await run(`UPDATE invoices SET status = 'open', number = 'INV-2020-000001', issued_at = now() - interval '17 days',
    due_at = (now() AT TIME ZONE 'Europe/London' - interval '3 days') AT TIME ZONE 'Europe/London',
    total_pence = 1708, document = (SELECT document FROM invoices WHERE document IS NOT NULL LIMIT 1)
    WHERE status = 'draft'`)
}

async function countInvoices(): Promise<number> {
  const [row] = await worker.db.dataSource.query<{ n: number }[]>('SELECT count(*)::integer AS n FROM invoices')
  return row?.n ?? -1
}
