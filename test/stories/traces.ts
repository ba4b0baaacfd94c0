// With a collector configured, one trace shows a payout's path through the API, the worker and the bank. The
// trace contains no personal data, and sending it does not delay the payout.
import { afterEach, beforeAll, expect, test } from '@jest/globals'
import { Worker } from '@temporalio/worker'
import { type ACollector, attributesOf } from '../support/a-collector'
import { keys as bankKeys, type Json } from '../support/bank/client'
import { testSystem } from '../support/jest/system'
import { faultsOf } from '../support/otlp-shape'
import { personalIn } from '../support/personal'
import type { World } from '../support/system/world'
import { silenceTemporal } from '../support/temporal/a-worker'
import { historyOf } from '../support/temporal/payout-paths'
import { until } from '../support/until'

const collectorKey = 'key-of-the-collector'
const idempotencyKey = 'order-for-Ada.Lovelace'
const reference = 'Rent of Ada'

export function traceSettings({ endpoint }: ACollector): Record<string, string> {
  return { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${collectorKey}` }
}

export function traces(open: () => World, opened: () => ACollector): void {
  let collector: ACollector
  let world: World
  let payoutId: string

  silenceTemporal()

  beforeAll(() => {
    world = open()
    collector = opened()
  })
  afterEach(() => world.clearFaults())

  test('one trace covers the payout from the request to the last activity, with each span below its cause', async () => {
    // The bank's response is lost, so that an activity that is not local has to resolve the outcome.
    const toTransfers = { method: 'POST', path: '/v0/transfers' }
    await world.bank.fault({ kind: 'reset', stage: 'after', times: 1, match: toTransfers })
    // With an event, the outcome could be known before the call is repeated.
    await world.bank.fault({ kind: 'webhook_lost', times: null })
    const { status, body } = await world.pay({ reference }, { key: idempotencyKey })
    payoutId = body.id
    await world.settled(payoutId)

    const trace = await wholeTrace(payoutId)

    expect(status).toBe(201)
    expect(pathsIn(trace)).toEqual([
      'payouts-api: POST /v1/payouts',
      'payouts-api: POST /v1/payouts > UpdateWithStartWorkflow payout',
      ...[
        'chargePayout',
        'debitPayout',
        'pollSettlement',
        'pollSettlement > GET /transfers/{id}',
        'resolveSubmit',
        'resolveSubmit > POST /transfers',
        'submitToRail',
        'submitToRail > POST /customers/{id}/external_accounts',
        'submitToRail > POST /transfers',
      ].map((path) => `payouts-worker: POST /v1/payouts > UpdateWithStartWorkflow payout > ${path}`),
    ])
  })

  test('each span has the expected kind, status and attributes', async () => {
    const trace = await wholeTrace(payoutId)
    const found = (name: string, wanted: (attributes: Json) => boolean = () => true) => {
      const span = trace.find((each) => each.name === name && wanted(attributesOf(each)))
      return { kind: span.kind, status: span.status, attributes: attributesOf(span) }
    }

    expect(found('POST /v1/payouts')).toEqual({
      kind: 2,
      status: {},
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/v1/payouts',
        'http.response.status_code': 201,
        'payouts.request_id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'payouts.environment': 'sandbox',
        'payouts.payout_id': payoutId,
      },
    })
    expect(found('resolveSubmit')).toEqual({
      kind: 1,
      status: {},
      attributes: {
        'temporal.run_id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'temporal.attempt': expect.any(Number),
        'temporal.local': false,
        'payouts.payout_id': payoutId,
      },
    })
    expect(found('debitPayout').attributes).toMatchObject({ 'temporal.local': true, 'payouts.payout_id': payoutId })
    const toTransfers = { 'http.request.method': 'POST', 'url.template': '/transfers' }
    expect(found('POST /transfers', (told) => 'error.type' in told)).toEqual({
      kind: 3,
      status: { code: 2 },
      attributes: { ...toTransfers, 'error.type': 'ECONNRESET' },
    })
    expect(found('POST /transfers', (told) => !('error.type' in told)).attributes).toEqual({
      ...toTransfers,
      'http.response.status_code': 201,
    })
  })

  test('a partner’s own trace is linked, but our spans are not part of it', async () => {
    const theirs = { traceId: 'c'.repeat(32), spanId: 'd'.repeat(16) }
    const headers = { traceparent: `00-${theirs.traceId}-${theirs.spanId}-01` }

    await fetch(`${world.url}/v1/nothing-for-Ada?of=Lovelace`, { headers })

    const span = await until('the span of the request has arrived', () =>
      collector.spans().find(({ links = [] }) => links.length > 0),
    )
    expect(span).toMatchObject({ name: 'GET', links: [theirs] })
    expect(span).not.toHaveProperty('parentSpanId')
    expect(span.traceId).not.toBe(theirs.traceId)
  })

  test('the history of a traced payout contains its traceparent, and replays', async () => {
    const history = await historyOf(world, idempotencyKey)
    const workflowBundle = { codePath: testSystem().workflowBundlePath }
    const { header } = JSON.parse(history).events[0].workflowExecutionStartedEventAttributes
    const [root] = await wholeTrace(payoutId)

    expect(Object.keys(header.fields)).toEqual(['traceparent'])
    expect(Buffer.from(header.fields.traceparent.data, 'base64').toString()).toContain(root.traceId)
    await expect(Worker.runReplayHistory({ workflowBundle }, JSON.parse(history))).resolves.toBeUndefined()
  })

  test('all spans are sent as OTLP, to the configured path with the configured key', async () => {
    expect(collector.taken.flatMap(({ body }) => faultsOf(body))).toEqual([])
    expect(new Set(collector.taken.map(({ path }) => path))).toEqual(new Set(['/v1/traces']))
    expect(new Set(collector.taken.map(({ headers }) => headers['x-collector-key']))).toEqual(new Set([collectorKey]))
  })

  test('a collector that is down or never answers does not affect payouts, and is logged once', async () => {
    collector.behave('away')
    const away = await world.settled((await world.pay()).body.id)
    collector.behave('silent')
    const silent = await world.settled((await world.pay()).body.id)
    const logs = () => [world.api, world.worker].map((part) => part.output())
    const told = (words: string) => logs().map((log) => log.split(words).length - 1)
    await until('both have noticed', () => told('cannot send traces').every((times) => times > 0))

    collector.behave(200)
    await until('both send again', () => told('sending traces again').every((times) => times > 0))

    expect([away, silent].map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect(told('cannot send traces')).toEqual([1, 1])
    // No buffered span is lost. There are only eight paths, because the account is already registered at the bank
    // and the call to /transfers succeeds at once.
    for (const { id } of [away, silent]) expect(pathsIn(await wholeTrace(id))).toHaveLength(8)
  })

  test("no span contains the recipient, the partner, or any user's text", async () => {
    await world.get(`/v1/payouts?reference=${encodeURIComponent(reference)}`)
    await until('the span of the list has arrived', () =>
      collector.spans().some(({ name }) => name === 'GET /v1/payouts'),
    )
    const { first_name, last_name, address, bank } = world.order().recipient
    const written = [first_name, last_name, address.line1, address.postal_code, bank.sort_code, bank.account_number]
    const secrets = [bankKeys.sandbox, bankKeys.live, collectorKey, world.partner.id, world.partner.slug]
    const spans = collector.spans().map((span) => JSON.stringify(span))

    expect(spans.length).toBeGreaterThan(20)
    for (const marker of [...written, ...secrets, idempotencyKey, reference, 'nothing-for-Ada', '?']) {
      expect(spans.filter((span) => span.includes(marker))).toEqual([])
    }
    expect(spans.flatMap((span) => personalIn(span) ?? [])).toEqual([])
  })

  test('the last spans of the API and the worker are sent when the processes stop', async () => {
    const { body } = await world.pay()
    await world.settled(body.id)
    const parts = [world.api, world.worker]
    await Promise.all(parts.map((part) => part.stop()))

    const sent = collector.taken.length
    expect(pathsIn(await wholeTrace(body.id))).toHaveLength(8)
    expect(collector.taken).toHaveLength(sent)
    expect(parts.filter((part) => part.output().includes('traces were lost'))).toEqual([])
    await Promise.all(parts.map((part) => part.start()))
  })

  /** The complete trace of a payout, root span first. */
  async function wholeTrace(id: string): Promise<Json[]> {
    return until('the whole trace has arrived', async () => {
      const spans = collector.spans()
      const first = spans.find(
        (span) => span.name === 'POST /v1/payouts' && attributesOf(span)['payouts.payout_id'] === id,
      )
      const trace = spans.filter(({ traceId }) => traceId === first?.traceId)
      const isWhole = trace.every((span) => span === first || above(span, trace) !== undefined)
      const isOver = trace.some(({ name }) => name === 'chargePayout')
      return first !== undefined && isWhole && isOver ? [first, ...trace.filter((span) => span !== first)] : null
    })
  }
}

function above({ parentSpanId }: Json, trace: readonly Json[]): Json {
  return trace.find(({ spanId }) => spanId === parentSpanId)
}

/** The distinct paths from the root span to each span, prefixed with the service of the last span. */
function pathsIn(trace: readonly Json[]): string[] {
  const pathOf = (span: Json): string => {
    const parent = above(span, trace)
    return parent === undefined ? span.name : `${pathOf(parent)} > ${span.name}`
  }
  return [...new Set(trace.map((span) => `${span.service}: ${pathOf(span)}`))].toSorted()
}
