// GET /v1/activity and .csv: API calls, dashboard actions and operators' changes, with caller and result. Request
// bodies are never stored.
import { type Static, Type } from 'typebox'
import {
  type ActivityFilter,
  type ActivityPosition,
  type ActivityRow,
  latestActivity,
} from '../../db/controls/activity'
import type { Queryable } from '../../db/database'
import { findPayouts, type PayoutRow } from '../../db/payouts/payouts'
import { seesLive, withoutOperators } from '../../db/sign-in/callers'
import { activityListLength } from '../../domain/limits'
import { formatPence } from '../../domain/money'
import { londonDayOf } from '../../domain/month'
import { isUuid } from '../../domain/uuid'
import type { ApiDeps } from '../deps'
import { timeoutAsUnavailable } from '../http/costly-reads'
import { csvReply, csvShape } from '../http/csv-export'
import { ApiError } from '../http/errors'
import { cursorHint, listShape, type Page, PageQuery, pageReply } from '../http/list'
import { queryOf } from '../http/requests/read-request'
import { type ApiRequest, get, type Reply } from '../http/route'
import {
  Answer,
  Component,
  DateTime,
  EnvironmentName,
  environmentQuery,
  Instant,
  MoneyString,
  Nullable,
  OneOf,
  Pattern,
  Strict,
  Text,
  Uuid,
} from '../http/schema'
import { checks, historyChecks } from '../http/steps'

const idPattern = '^[A-Za-z0-9_-]{1,60}$'

const searchMaxLength = 120

const filters = {
  q: Type.Optional(
    Text({
      minLength: 1,
      maxLength: searchMaxLength,
      description:
        'Text to find in the action, the caller, the error code or change, the environment, the status, the request ID, or the amount ' +
        'or recipient of the payout. Ignores case.',
      'x-hint': `1 to ${searchMaxLength} characters`,
    }),
  ),
  created_after: Type.Optional(Instant({ description: 'Recorded at this time or later.' })),
  created_before: Type.Optional(Instant({ description: 'Recorded before this time.' })),
  id: Type.Optional(
    Pattern(idPattern, {
      description: 'Only the entry with this ID. An unknown ID is refused with 422.',
      'x-hint': 'the id of an entry',
    }),
  ),
  changes_only: Type.Optional(
    OneOf(['true', 'false'], {
      description: 'Whether to show only changes, without reads or refused requests.',
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

const starting_after = Type.Optional(
  Pattern(idPattern, { description: 'The next_cursor of the previous page.', 'x-hint': cursorHint }),
)

const Query = PageQuery({ ...filters, starting_after }, activityListLength)
const CsvQuery = Strict({ ...environmentQuery, ...filters })

const Activity = Component('Activity', {
  id: Type.String({ description: 'The ID of the entry. The list also accepts it as a filter.' }),
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
  summary: 'List audit log entries',
  description: 'Newest first. A sandbox key sees the sandbox only. A live key and the dashboard see everything.',
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

async function listActivity(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  // Calls are written in batches. Write them now, so that a caller finds its earlier calls.
  await deps.activityLog.flush()
  const query = queryOf<typeof Query>(request)
  // Only a search can read all entries, so only a search uses the connections for costly reads. Otherwise a key that
  // floods those connections could stop an admin from reading the log.
  const db = query.q === undefined ? deps.db : deps.costlyReads.of(request.caller.partner.id)
  const list = pageReply(query, {
    find: async (cursor) => positionOf(cursor),
    read: pagesOf(request, query, db),
    cursorOf: ({ id }) => id,
    present: (entry) => entry,
  })
  return list.catch((error: unknown) => {
    throw timeoutAsUnavailable(error)
  })
}

export const exportActivityRoute = get('/v1/activity.csv', 'exportActivity', {
  steps: [...historyChecks('activity.export', { by: 'key', partner: 'any' }, { query: CsvQuery }), exportActivity],
  summary: 'Export audit log entries as CSV',
  description: 'Accepts the same filters as the list and returns all matching entries.',
  reply: csvShape,
  errors: ['invalid_request'],
})

async function exportActivity(request: ApiRequest, { db, activityLog, clock }: ApiDeps): Promise<Reply> {
  await activityLog.flush()
  return csvReply<PresentedActivity>({
    fileName: `audit-log-${londonDayOf(clock.now())}`,
    columns,
    read: pagesOf(request, queryOf<typeof CsvQuery>(request), db),
    cellsOf: ({ payout, ...entry }) => [
      entry.id,
      entry.at,
      entry.environment ?? '',
      entry.action,
      entry.status === null ? '' : { number: String(entry.status) },
      entry.by,
      entry.detail ?? '',
      entry.request_id ?? '',
      payout?.id ?? '',
      payout === null ? '' : { number: payout.amount_gbp },
      payout?.recipient.name ?? '',
      payout?.recipient.account_last4 ?? '',
    ],
  })
}

const columns = [
  'id',
  'at',
  'environment',
  'action',
  'status',
  'by',
  'detail',
  'request_id',
  'payout_id',
  'payout_amount_gbp',
  'payout_recipient_name',
  'payout_account_last4',
]

/** Reads pages of entries in the form that the partner sees, with their payouts. */
function pagesOf(request: ApiRequest, query: Static<typeof CsvQuery>, db: Queryable) {
  const filter = filterOf(request, query)
  const partnerId = request.caller.partner.id
  return async ({ take, startingAfter }: Page): Promise<PresentedActivity[]> => {
    const entries = await latestActivity(db, partnerId, take, { after: positionOf(startingAfter), filter })
    const payouts = await findPayouts(db, partnerId, entries.flatMap(payoutIdsIn))
    return entries.map((entry) => presentActivity(entry, payouts.find((payout) => isAbout(entry, payout)) ?? null))
  }
}

function filterOf({ caller }: ApiRequest, query: Static<typeof CsvQuery>): ActivityFilter {
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
    search: query.q,
  }
}

function kindOf({ changes_only, security_only }: Static<typeof CsvQuery>): ActivityFilter['kind'] {
  if (security_only === 'true') return 'security'
  return changes_only === 'true' ? 'changes' : 'everything'
}

/** A call about a payout, or about its recalls and traces, stores the payout's ID as its detail. */
function payoutIdsIn({ action, detail }: ActivityRow): string[] {
  return /^(payout|case)\./.test(action) && detail !== null && isUuid(detail) ? [detail] : []
}

/** A sandbox entry must never show a live payout. */
function isAbout(entry: ActivityRow, payout: PayoutRow): boolean {
  return payoutIdsIn(entry).includes(payout.id) && payout.environment === entry.environment
}

/** Encodes the time as well as the ID, because the entry with that ID may have been deleted. */
function cursorOf({ at, id }: ActivityPosition): string {
  return Buffer.from(`${at.getTime()}.${id}`).toString('base64url')
}

/** Null if the cursor is missing or malformed. */
function positionOf(cursor: string | null): ActivityPosition | null {
  const text = Buffer.from(cursor ?? '', 'base64url').toString('latin1')
  const [, ms, id] = /^(\d{1,15})\.(\d{1,18})$/.exec(text) ?? []
  return ms === undefined || id === undefined ? null : { at: new Date(Number(ms)), id: BigInt(id) }
}

type PresentedActivity = Static<typeof Activity>

function presentActivity(entry: ActivityRow, payout: PayoutRow | null): PresentedActivity {
  const { at, environment, action, status, madeBy, detail, requestId } = entry
  return {
    id: cursorOf(entry),
    at: at.toISOString(),
    environment,
    action,
    status,
    by: withoutOperators(madeBy),
    detail: detail === null ? null : withoutOperators(detail),
    request_id: requestId,
    payout: payout && {
      id: payout.id,
      amount_gbp: formatPence(payout.amountPence),
      recipient: { name: payout.recipientName, account_last4: payout.accountLast4 },
    },
  }
}
