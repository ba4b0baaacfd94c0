// A right is withdrawn while a write arrives or after the write was authorized. The write is refused and leaves
// nothing behind. Every mutating route in the table is tested with every kind of withdrawal.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { type Route, roleFor } from '../../api/http/route'
import { routes } from '../../api/routes'
import type { Queryable, Tx } from '../../db/database'
import { revokeApiKeysOf } from '../../db/partners/api-keys'
import { changeRole, type MemberRow, removeMember } from '../../db/partners/members'
import { lockPartnerToStop, type PartnerRow, updatePartner } from '../../db/partners/partners'
import { endSessionsOf, openSession } from '../../db/sign-in/sessions'
import { useApi } from '../support/api/client'
import { aKey, aPartner, aPayoutRow, aSession } from '../support/api/fixtures'
import { aMember, fromOurPages } from '../support/api/people'
import { until } from '../support/until'
import { aCallOf } from './route-calls'

const api = useApi({ answerTimeoutMs: 100 })

const nameOf = ({ method, path }: Route) => `${method} ${path}`
const unauthorized = '401 unauthorized'

/** How a right is withdrawn, and the response that the caller gets from then on. */
const withdrawals = {
  'the key was revoked': {
    refusal: unauthorized,
    withdraw: (tx: Tx, { partner }: Subject) =>
      revokeApiKeysOf(tx, { partnerId: partner.id, revokedBy: 'ops:test', at: api.clock.now() }),
  },
  'the session was ended': {
    refusal: unauthorized,
    withdraw: (tx: Tx, { member }: Subject) => endSessionsOf(tx, member.email, api.clock.now()),
  },
  'the member was removed': {
    refusal: unauthorized,
    withdraw: (tx: Tx, { partner, member }: Subject) => removeMember(tx, { partnerId: partner.id, id: member.id }),
  },
  'the admin was made a viewer': {
    refusal: '403 api_key_required',
    withdraw: (tx: Tx, { partner, member }: Subject) =>
      changeRole(tx, { partnerId: partner.id, id: member.id, role: 'viewer' }),
  },
  'the partner was suspended': {
    refusal: '403 partner_not_active',
    withdraw: async (tx: Tx, { partner }: Subject) => {
      await lockPartnerToStop(tx, partner.slug)
      await updatePartner(tx, partner.id, { status: 'suspended' }, api.clock.now())
    },
  },
} as const
type Withdrawal = keyof typeof withdrawals

/** A caller who is allowed to call every route, and the caller's credential. */
interface Subject {
  readonly partner: PartnerRow
  readonly member: MemberRow
  readonly by: 'key' | 'person'
  readonly headers: Readonly<Record<string, string>>
}

const writes = routes.filter(({ method, access }) => method !== 'GET' && access.by !== 'anyone')
const withdrawn = writes.flatMap((route) =>
  withdrawalsFor(route).map((each) => [nameOf(route), ...each, route] as const),
)
/** These routes only read, so there is no write to refuse after authorization. */
const writeNothing = ['createQuote', 'checkPayout']

function withdrawalsFor(route: Route): (readonly [Subject['by'], Withdrawal])[] {
  const { access } = route
  if (access.by === 'anyone') return []
  const ofBoth: Withdrawal[] = access.partner === 'any' ? [] : ['the partner was suspended']
  const ofKeys: Withdrawal[] = ['the key was revoked', ...ofBoth]
  const ofRole: Withdrawal[] = roleFor(route) === 'admin' ? ['the admin was made a viewer'] : []
  const ofMembers: Withdrawal[] = ['the session was ended', 'the member was removed', ...ofRole, ...ofBoth]
  return [
    ...(access.by === 'key' ? ofKeys.map((each) => ['key', each] as const) : []),
    ...ofMembers.map((each) => ['person', each] as const),
  ]
}

describe('a write is refused and leaves nothing behind', () => {
  test.each(withdrawn)('if, while %s arrives from a %s, %s', async (_name, by, withdrawal, route) => {
    const subject = await aSubject(by)
    const { refusal, withdraw } = withdrawals[withdrawal]
    const request = await slowRequest(route, subject)
    await request.sendFirstPart()

    const before = await api.db.transaction(async (tx) => {
      await withdraw(tx, subject)
      return footprint(tx)
    })
    const response = await request.sendRest()

    expect(response).toBe(refusal)
    expect(await footprint(api.db)).toEqual(before)
  })

  test.each(withdrawn.filter(([, , , { operationId }]) => !writeNothing.includes(operationId)))(
    'if, after %s from a %s was authorized, %s',
    async (_name, by, withdrawal, route) => {
      const subject = await aSubject(by)
      const { refusal, withdraw } = withdrawals[withdrawal]
      const request = await slowRequest(route, subject)

      // The caller is authorized until the withdrawal is committed, so the write must wait for that commit.
      const { before, heard: response } = await api.db.transaction(async (tx) => {
        await withdraw(tx, subject)
        let isAnswered = false
        const answered = request.sendAll().finally(() => {
          isAnswered = true
        })
        // Uses another connection, because within a transaction pg_stat_activity keeps returning its first snapshot.
        await until('the write waits', async () => isAnswered || (await isWriteWaiting()))
        return { before: await footprint(tx), heard: () => answered }
      })

      expect(await response()).toBe(refusal)
      expect(await footprint(api.db)).toEqual(before)
    },
  )
})

async function isWriteWaiting(): Promise<boolean> {
  const blocked = await api.db.sql`SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`
  return blocked.length > 0
}

/** The partner has a second admin, because the last admin cannot be removed. */
async function aSubject(by: Subject['by']): Promise<Subject> {
  const partner = await aPartner(api)
  await aSession(api, partner)
  const member = await aMember(api, partner)
  const opening = { memberId: member.id, at: api.clock.now(), absoluteMs: 86_400_000 }
  const opened = await api.db.transaction((tx) => openSession(tx, opening))
  const key = await aKey(api, partner, 'sandbox')
  const asKey = { Authorization: `Bearer ${key}` }
  const asPerson = { Cookie: `__Host-session=${opened?.token}`, ...fromOurPages.headers }
  return { partner, member, by, headers: by === 'key' ? asKey : asPerson }
}

/**
 * The rows that a write could change, as one hash for each table. Each change gives a row a new xmin. Sessions and keys
 * are compared by their content, because even a refused request may set last_used_at.
 */
async function footprint(db: Queryable): Promise<unknown> {
  const written = ['payouts', 'payout_notes', 'cases', 'partners', 'members', 'codes', 'mails']
  const rows = [
    ...written.map((table) => `SELECT '${table}' AS source, id::text, xmin::text AS content FROM ${table}`),
    `SELECT 'activity', id::text, xmin::text FROM activity WHERE changes`,
    ...['sessions', 'api_keys'].map(
      (table) => `SELECT '${table}', id::text, (to_jsonb(${table}) - 'last_used_at')::text FROM ${table}`,
    ),
  ]
  const text = `SELECT source, md5(string_agg(content, ',' ORDER BY id)) AS rows FROM (${rows.join(' UNION ALL ')}) all_rows
    GROUP BY source ORDER BY source`
  return (await db.send({ name: '', text, values: [] })).rows
}

interface SlowRequest {
  sendFirstPart(): Promise<void>
  sendRest(): Promise<string>
  sendAll(): Promise<string>
}

/**
 * A request that can be sent in two parts, divided within its body, or within its headers if it has no body.
 * Resolves with the response in the form `401 unauthorized`.
 */
async function slowRequest(route: Route, subject: Subject): Promise<SlowRequest> {
  const call = await aCallOf(route, subject.partner, api)
  const body = call.body === undefined ? '' : JSON.stringify(call.body)
  const headers = {
    Host: 'payouts.test',
    ...subject.headers,
    'Idempotency-Key': `order-${randomUUID()}`,
    ...(body === '' ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = `${route.method} ${await writablePath(route, subject, call.path)} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
  const { hostname, port } = new URL(api.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const middle = text.length - Math.max(body.length - 1, 1)
  const finish = async (rest: string) => {
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.write(rest)
    await once(socket, 'close')
    const [head = '', answer = ''] = Buffer.concat(chunks).toString('utf8').split('\r\n\r\n')
    return `${head.split(' ')[1]} ${JSON.parse(answer).error?.code}`
  }
  return {
    sendFirstPart: async () => {
      socket.write(text.slice(0, middle))
      // A server that authorizes a request before it is complete has enough time here to do so.
      for (let asked = 0; asked < 3; asked++) await api.get(`/v1/public/partners/${subject.partner.slug}`)
    },
    sendRest: () => finish(text.slice(middle)),
    sendAll: () => finish(text),
  }
}

/** A path at which the write would succeed, so that only the withdrawn right can cause a refusal. */
async function writablePath(route: Route, { partner, member }: Subject, otherwise: string): Promise<string> {
  switch (route.operationId) {
    case 'createConfirmCode':
      return `${route.path}?environment=live`
    case 'cancelPayout': {
      const unsent = { status: 'pending', submitStartedAt: null, verdict: null, verdictAt: null } as const
      const { id } = await aPayoutRow(api, partner, { ...unsent, answeredAt: api.clock.now() })
      return route.path.replace(':id', id)
    }
    case 'endSession': {
      const opening = { memberId: member.id, at: api.clock.now(), absoluteMs: 86_400_000 }
      const opened = await api.db.transaction((tx) => openSession(tx, opening))
      return route.path.replace(':id', opened?.sessionId ?? '')
    }
    case 'deleteInvitation': {
      const inviting = await aPartner(api)
      await aMember(api, inviting, { email: member.email })
      return route.path.replace(':slug', inviting.slug)
    }
    default:
      return otherwise
  }
}
