// GET /v1/activity: the requests on the account, with caller and result. Request bodies are never stored.
import { type Static, Type } from 'typebox'
import {
  type ActivityFilter,
  type ActivityPosition,
  type ActivityRow,
  latestActivity,
} from '../../db/controls/activity'
import { findPayouts, type PayoutRow } from '../../db/payouts/payouts'
import { seesLive, withoutOperators } from '../../db/sign-in/callers'
import { activityListLength } from '../../domain/limits'
import { formatPence } from '../../domain/money'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { cursorHint, listShape, PageQuery, pageReply } from '../http/list'
import { queryOf } from '../http/requests/read-request'
import { uuidPattern } from '../http/requests/validate'
import { type ApiRequest, get, type Reply } from '../http/route'
import {
  Answer,
  Component,
  DateTime,
  EnvironmentName,
  Instant,
  MoneyString,
  Nullable,
  OneOf,
  Pattern,
  Uuid,
} from '../http/schema'
import { checks } from '../http/steps'

const idPattern = '^[A-Za-z0-9_-]{1,60}$'

const filters = {
  created_after: Type.Optional(Instant({ description: 'Recorded at this time or later.' })),
  created_before: Type.Optional(Instant({ description: 'Recorded before this time.' })),
  id: Type.Optional(Pattern(idPattern, { description: 'Only this entry.', 'x-hint': 'the id of an entry' })),
  starting_after: Type.Optional(
    Pattern(idPattern, { description: 'The next_cursor of the previous page.', 'x-hint': cursorHint }),
  ),
  changes_only: Type.Optional(
    OneOf(['true', 'false'], {
      description: 'Whether to show only changes, without reads and refused requests.',
      'x-hint': 'true or false',
    }),
  ),
  security_only: Type.Optional(
    OneOf(['true', 'false'], {
      description:
        'Whether to show only security changes: keys, members and roles, sign-ins, emailed confirm codes, billing and ' +
        'contact email, suspension. These have hourly limits, so an attacker cannot hide one behind many others.',
      'x-hint': 'true or false',
    }),
  ),
}

const Query = PageQuery(filters, activityListLength)

const Activity = Component('Activity', {
  id: Type.String({ description: 'Identifies the entry, also as a filter of this list.' }),
  at: DateTime(),
  environment: Nullable(EnvironmentName),
  action: Type.String({ description: 'The operation, as resource.verb.' }),
  status: Nullable(Type.Integer({ description: 'The HTTP status of the response.' })),
  by: Type.String({ description: 'The caller: key:<prefix>, an email, or `service` (us).' }),
  detail: Nullable(
    Type.String({
      description: 'The error code of a refused call; the payout that was created, read or replayed; or the change.',
    }),
  ),
  request_id: Nullable(Type.String({ description: 'The X-Request-Id of the response.' })),
  payout: Nullable(
    Answer(
      {
        id: Uuid(),
        amount_gbp: MoneyString(),
        recipient: Answer({ name: Nullable(Type.String()), account_last4: Nullable(Type.String()) }),
      },
      { description: 'The payout that `detail` names.' },
    ),
  ),
})

export const listActivityRoute = get('/v1/activity', 'listActivity', {
  steps: [...checks('activity.list', { by: 'key', partner: 'any' }, { query: Query }), listActivity],
  tag: 'Audit log',
  summary: 'List audit log entries',
  description:
    'API calls and dashboard actions, newest first. Use `starting_after` for older ones. A live key and the dashboard see both ' +
    'environments and changes of the account itself. A sandbox key sees the sandbox only.',
  reply: listShape('The latest requests.', Activity, [
    {
      id: 'MTc2MzI4NTQwMDAwMC40Mg',
      at: '2026-11-16T09:30:00.000Z',
      environment: 'sandbox',
      action: 'payout.create',
      status: 201,
      by: 'key:kp_sandbox_4f9a1c02',
      detail: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56',
      request_id: '0b0f4d5e-3c0a-4b52-9a55-0d8f5a3d3c11',
      payout: {
        id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56',
        amount_gbp: '120.00',
        recipient: { name: 'Ada Lovelace', account_last4: '0008' },
      },
    },
  ]),
  errors: ['invalid_request'],
})

async function listActivity(request: ApiRequest, { db, activityLog }: ApiDeps): Promise<Reply> {
  // Calls are written in batches. Write them now, so that a caller finds its earlier calls.
  await activityLog.flush()
  const query = queryOf<typeof Query>(request)
  const filter = filterOf(request, query)
  const partnerId = request.caller.partner.id
  return pageReply(query, {
    find: async (cursor) => positionOf(cursor),
    read: async ({ take, startingAfter }) => {
      const entries = await latestActivity(db, partnerId, take, { after: positionOf(startingAfter), filter })
      const payouts = await findPayouts(db, partnerId, entries.flatMap(payoutIdsIn))
      return entries.map((entry) => ({ ...entry, payout: payouts.find((payout) => isAbout(entry, payout)) ?? null }))
    },
    cursorOf,
    present: presentActivity,
  })
}

function filterOf({ caller }: ApiRequest, query: Static<typeof Query>): ActivityFilter {
  const only = query.id === undefined ? undefined : positionOf(query.id)
  if (only === null)
    throw new ApiError('invalid_request', {
      message: 'id must be the id of an entry.',
      details: { errors: ['id (the id of an entry)'] },
    })
  return {
    kind: kindOf(query),
    environment: seesLive(caller) ? 'both' : 'sandbox',
    createdAfter: query.created_after,
    createdBefore: query.created_before,
    only,
  }
}

function kindOf({ changes_only, security_only }: Static<typeof Query>): ActivityFilter['kind'] {
  if (security_only === 'true') return 'security'
  return changes_only === 'true' ? 'changes' : 'everything'
}

/** Calls about a payout, and about its recalls and traces, store its ID. */
function payoutIdsIn({ action, detail }: ActivityRow): string[] {
  return /^(payout|case)\./.test(action) && detail !== null && uuidPattern.test(detail) ? [detail] : []
}

/** An entry of the sandbox never shows a live payout. */
function isAbout(entry: ActivityRow, payout: PayoutRow): boolean {
  return payoutIdsIn(entry).includes(payout.id) && payout.environment === entry.environment
}

/** Old entries are deleted, so an ID and a cursor hold a position. */
function cursorOf({ at, id }: ActivityPosition): string {
  return Buffer.from(`${at.getTime()}.${id}`).toString('base64url')
}

/** Null when there is no cursor, or a malformed one. */
function positionOf(cursor: string | null): ActivityPosition | null {
  const text = Buffer.from(cursor ?? '', 'base64url').toString('latin1')
  const [, ms, id] = /^(\d{1,15})\.(\d{1,18})$/.exec(text) ?? []
  return ms === undefined || id === undefined ? null : { at: new Date(Number(ms)), id: BigInt(id) }
}

interface ShownActivity extends ActivityRow {
  readonly payout: PayoutRow | null
}

function presentActivity(entry: ShownActivity): unknown {
  const { at, environment, action, status, madeBy, detail, requestId, payout } = entry
  const by = withoutOperators(madeBy)
  const shown = detail === null ? null : withoutOperators(detail)
  return {
    id: cursorOf(entry),
    at: at.toISOString(),
    environment,
    action,
    status,
    by,
    detail: shown,
    request_id: requestId,
    payout: payout && {
      id: payout.id,
      amount_gbp: formatPence(payout.amountPence),
      recipient: { name: payout.recipientName, account_last4: payout.accountLast4 },
    },
  }
}
