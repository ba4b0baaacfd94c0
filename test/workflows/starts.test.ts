// The ID, queue and policies with which each workflow is started. They decide whether a start joins a run, begins a
// new one or is rejected.
import { expect, test } from '@jest/globals'
import { type Start, starts } from '../../workflows/starts'

const system = { queuePrefix: 'other', pollMs: [1_000] }
const payout = {
  environment: 'live',
  partnerId: 'p1',
  idempotencyKey: 'order-1001',
  attempt: 2,
  payoutId: 'po1',
  slug: 'acme',
  status: 'pending',
  amountPence: 12_000n,
  accountLast4: '5678',
} as const
const openCase = {
  id: 'c1',
  kind: 'trace',
  environment: 'live',
  openedAt: new Date(0),
  dueAt: new Date(5_000),
} as const
const wake = { environment: 'live', by: 'ada', why: 'The rail is open again' } as const
const topUp = { partnerId: 'p1', usdc: '5.000000', causeRef: 'r1' }

const joins = 'USE_EXISTING'
const replaces = 'TERMINATE_EXISTING'
const housekeeping = 'other-housekeeping'

test.each<[string, Start, string, string, string | undefined, string | undefined]>([
  ['payout', starts.payout(payout, system), 'payout/live/p1/order-1001/2', 'other-live', 'REJECT_DUPLICATE', joins],
  [
    'resumedPayout',
    starts.resumedPayout(payout, system),
    'payout/live/p1/order-1001/2',
    'other-live',
    'ALLOW_DUPLICATE',
    joins,
  ],
  ['payoutReturn', starts.payoutReturn(payout, system), 'return/po1', 'other-live', 'ALLOW_DUPLICATE', undefined],
  ['payoutCase', starts.payoutCase(openCase, system), 'case/c1', housekeeping, 'ALLOW_DUPLICATE', joins],
  ['railSwitch', starts.railSwitch(wake, system), 'other-rail-switch/live', housekeeping, 'ALLOW_DUPLICATE', replaces],
  ['connectSandbox', starts.connectSandbox('p1', system), 'connect-sandbox/p1', housekeeping, 'ALLOW_DUPLICATE', joins],
  ['topUp', starts.topUp(topUp, system), 'top-up/p1/r1', housekeeping, undefined, undefined],
  ['signUp', starts.signUp('code1', system), 'sign-up/code1', housekeeping, 'ALLOW_DUPLICATE', joins],
  ['verification', starts.verification('p1', system), 'verification/p1', housekeeping, 'ALLOW_DUPLICATE', undefined],
  ['walletReading', starts.walletReading('w1', system), 'wallet-reading/w1', housekeeping, undefined, undefined],
  [
    'invoiceRun',
    starts.invoiceRun({ period: '2026-10', partner: null }, system),
    'other-invoice-run/2026-10',
    housekeeping,
    'ALLOW_DUPLICATE',
    joins,
  ],
  ['invoiceMail', starts.invoiceMail('i1', system), 'invoice-mail/i1', housekeeping, 'ALLOW_DUPLICATE', joins],
])(
  'starts.%s sets the workflow ID, the queue and the policies',
  (_, start, workflowId, taskQueue, workflowIdReusePolicy, workflowIdConflictPolicy) => {
    const { workflowIdReusePolicy: reuse, workflowIdConflictPolicy: conflict } = start

    expect([start.workflowId, start.taskQueue]).toEqual([workflowId, taskQueue])
    expect([reuse, conflict]).toEqual([workflowIdReusePolicy, workflowIdConflictPolicy])
  },
)

test('the summary and the search attributes of a payout name no person', () => {
  const { staticSummary, typedSearchAttributes, workflowTaskTimeout } = starts.payout(payout, system)

  expect(staticSummary).toBe('120.00 GBP to ••••5678 · acme · live')
  expect(typedSearchAttributes?.map(({ key, value }) => [key.name, value])).toEqual([
    ['PayoutPartner', 'acme'],
    ['PayoutEnvironment', 'live'],
    ['PayoutStatus', 'pending'],
    ['PayoutId', 'po1'],
    ['PayoutAmountPence', 12_000],
  ])
  expect(workflowTaskTimeout).toBe('5s')
})
