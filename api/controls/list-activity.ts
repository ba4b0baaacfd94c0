// GET /v1/activity: the requests on the account, with caller and result. Request bodies are never stored.
import { type Static, Type } from 'typebox'
import {
  type ActivityFilter,
  type ActivityPosition,
  type ActivityRow,
  latestActivity,
} from '../../db/controls/activity'
import { seesLive, withoutOperators } from '../../db/sign-in/callers'
import { activityListLength } from '../../domain/limits'
import type { ApiDeps } from '../deps'
import { cursorHint, listShape, PageQuery, pageReply } from '../http/list'
import { queryOf } from '../http/requests/read-request'
import { type ApiRequest, get, type Reply } from '../http/route'
import { Component, DateTime, EnvironmentName, Nullable, OneOf, Pattern } from '../http/schema'
import { checks } from '../http/steps'

const filters = {
  starting_after: Type.Optional(
    Pattern('^[A-Za-z0-9_-]{1,60}$', { description: 'The next_cursor of the previous page.', 'x-hint': cursorHint }),
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
      at: '2026-11-16T09:30:00.000Z',
      environment: 'sandbox',
      action: 'payout.create',
      status: 201,
      by: 'key:kp_sandbox_4f9a1c02',
      detail: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a56',
      request_id: '0b0f4d5e-3c0a-4b52-9a55-0d8f5a3d3c11',
    },
  ]),
  errors: ['invalid_request'],
})

async function listActivity(request: ApiRequest, { db, activityLog }: ApiDeps): Promise<Reply> {
  // Calls are written in batches. Write them now, so that a caller finds its earlier calls.
  await activityLog.flush()
  const query = queryOf<typeof Query>(request)
  const filter = filterOf(request, query)
  return pageReply(query, {
    find: async (cursor) => positionOf(cursor),
    read: ({ take, startingAfter }) =>
      latestActivity(db, request.caller.partner.id, take, { after: positionOf(startingAfter), filter }),
    cursorOf,
    present: presentActivity,
  })
}

function filterOf({ caller }: ApiRequest, { changes_only, security_only }: Static<typeof Query>): ActivityFilter {
  const environment = seesLive(caller) ? 'both' : 'sandbox'
  if (security_only === 'true') return { kind: 'security', environment }
  return { kind: changes_only === 'true' ? 'changes' : 'everything', environment }
}

/** Entries have no public ID, and old ones are deleted, so a cursor holds a position. */
function cursorOf({ at, id }: ActivityPosition): string {
  return Buffer.from(`${at.getTime()}.${id}`).toString('base64url')
}

/** Null when there is no cursor, or a malformed one. */
function positionOf(cursor: string | null): ActivityPosition | null {
  const text = Buffer.from(cursor ?? '', 'base64url').toString('latin1')
  const [, ms, id] = /^(\d{1,15})\.(\d{1,18})$/.exec(text) ?? []
  return ms === undefined || id === undefined ? null : { at: new Date(Number(ms)), id: BigInt(id) }
}

function presentActivity({ at, environment, action, status, madeBy, detail, requestId }: ActivityRow): unknown {
  const by = withoutOperators(madeBy)
  const shown = detail === null ? null : withoutOperators(detail)
  return { at: at.toISOString(), environment, action, status, by, detail: shown, request_id: requestId }
}
