// /v1/members: a partner's people, who may read or also change things (§1, §2 Member); one admin always stays.
import { type Static, Type } from 'typebox'
import { enqueueMail } from '../../db/mails'
import {
  type ChangedMember,
  changeRole,
  insertMember,
  listMembers,
  type MemberRow,
  removeMember,
} from '../../db/members'
import { findPartnerById } from '../../db/partners'
import { assert } from '../../domain/assert'
import { memberRoles } from '../../domain/partner'
import { invitationsPerPartnerAndHour } from '../../domain/sign-in'
import { invitationMessage } from '../../mail/code-message'
import { ApiError } from '../errors'
import { personOf, type Route } from '../route'
import { Answer, DateTime, Email, ListOf, Name, Nullable, OneOf, Strict, Uuid } from '../schema'
import { endedCookie } from '../session-cookie'
import { recordChange } from './change'
import { presentList } from './list'
import { tellAdmins } from './tell-admins'
import { bodyOf, paramsOf } from './typed'

const Member = Answer(
  {
    id: Uuid(),
    email: Email(),
    name: Nullable(Type.String()),
    role: OneOf(memberRoles),
    status: OneOf(['invited', 'active'], { description: 'Invited until they sign in for the first time.' }),
    last_login_at: Nullable(DateTime()),
    created_at: DateTime(),
  },
  { title: 'Member' },
)

const exampleMember: Static<typeof Member> = {
  id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a58',
  email: 'grace@acme.example.com',
  name: 'Grace Hopper',
  role: 'viewer',
  status: 'invited',
  last_login_at: null,
  created_at: '2026-11-16T09:00:00.000Z',
}

const Params = Answer({ id: Uuid() })

export const listTeam: Route = {
  method: 'GET',
  path: '/v1/members',
  operationId: 'listMembers',
  tag: 'Team',
  summary: 'The people of the account',
  access: { by: 'person', action: 'member.list', partner: 'any' },
  reply: {
    status: 200,
    description: 'The members, oldest first.',
    schema: ListOf(Member),
    example: { object: 'list', data: [exampleMember], has_more: false, next_cursor: null },
  },
  errors: [],
  handle: async ({ caller }, { db }) => {
    const members = await listMembers(db, caller.partner.id)
    return { body: presentList(members.map(presentMember)) }
  },
}

const NewMember = Strict(
  {
    email: Email(),
    name: Type.Optional(
      Nullable(Name({ maxLength: 80, without: 'addresses', 'x-hint': '1 to 80 characters, and no address of a page' })),
    ),
    role: OneOf(memberRoles),
  },
  { title: 'NewMember' },
)

export const inviteMember: Route = {
  method: 'POST',
  path: '/v1/members',
  operationId: 'inviteMember',
  tag: 'Team',
  summary: 'Add somebody and email them an invitation',
  access: { by: 'person', action: 'member.create', partner: 'active' },
  body: {
    schema: NewMember,
    example: { email: 'grace@acme.example.com', name: 'Grace Hopper', role: 'viewer' },
  },
  reply: { status: 201, description: 'The new member.', schema: Member, example: exampleMember },
  errors: ['invalid_state'],
  handle: async (request, deps) => {
    const { email, name = null, role } = bodyOf<typeof NewMember>(request)
    const { email: by, partner } = personOf(request)
    // Anybody can sign up and invite anybody: our mails must not become a way to write to strangers.
    if (!(await deps.rateLimiter.takeHourly(`invitations/${partner.id}`, invitationsPerPartnerAndHour))) {
      throw new ApiError('rate_limited', { headers: { 'Retry-After': '180' } })
    }
    const member = await deps.db.transaction(async (tx) => {
      const at = deps.clock.now()
      const added = await insertMember(tx, { partnerId: partner.id, email, name, role, at })
      if (added === 'already_member') return null
      const row = await findPartnerById(tx, partner.id)
      assert(row !== null, 'a caller has a partner')
      const from = { by, partner: row, publicUrl: deps.config.publicUrl }
      const mail = invitationMessage({ address: added.email, name, role, ...from })
      await enqueueMail(tx, deps.keyring, { kind: 'invitation', mail, at, expiresAt: new Date(at.getTime() + weekMs) })
      const change = { partnerId: partner.id, by, action: 'member.create', detail: `${added.email} as ${role}` }
      await recordChange(tx, { ...change, status: 201 }, request, deps)
      if (role === 'admin') {
        const happened = { what: 'admin_invited', email: added.email } as const
        await tellAdmins(tx, { partnerId: partner.id, by, happened }, deps)
      }
      return added
    })
    if (member === null) throw new ApiError('invalid_state', { details: { status: 'already_member' } })
    deps.mails.wake()
    return { status: 201, body: presentMember(member), location: '/v1/members', activity: 'written' }
  },
}

const weekMs = 7 * 24 * 60 * 60 * 1000

const MemberChanges = Strict({ role: OneOf(memberRoles) }, { title: 'MemberChanges' })

export const changeMember: Route = {
  method: 'PATCH',
  path: '/v1/members/:id',
  operationId: 'changeMember',
  tag: 'Team',
  summary: "Change somebody's role",
  description:
    'It holds from their next request on. The last admin stays one. A suspended partner can make an admin a viewer, but ' +
    'nobody an admin.',
  // Takes power away, so a suspended partner may do it. The transaction refuses the other direction.
  access: { by: 'person', action: 'member.update', partner: 'any' },
  params: Params,
  body: { schema: MemberChanges, example: { role: 'viewer' } },
  reply: { status: 200, description: 'The member.', schema: Member, example: exampleMember },
  errors: ['invalid_state'],
  handle: async (request, deps) => {
    const { id } = paramsOf<typeof Params>(request)
    const { role } = bodyOf<typeof MemberChanges>(request)
    const { email: by, partner } = personOf(request)
    const changed = await deps.db.transaction(async (tx) => {
      const result = await changeRole(tx, { partnerId: partner.id, id, role })
      if (result.outcome === 'changed' && result.roleBefore !== role) {
        const detail = `${result.member.email} as ${role}`
        const change = { partnerId: partner.id, by, action: 'member.update', detail }
        await recordChange(tx, { ...change, status: 200 }, request, deps)
        const happened = { what: role === 'admin' ? 'made_admin' : 'made_viewer', email: result.member.email } as const
        await tellAdmins(tx, { partnerId: partner.id, by, happened }, deps)
      }
      return result
    })
    deps.mails.wake()
    return { body: presentMember(requireChanged(changed)), activity: 'written' }
  },
}

const Removed = Answer({ id: Uuid(), removed: Type.Literal(true) }, { title: 'MemberRemoved' })

export const deleteMember: Route = {
  method: 'DELETE',
  path: '/v1/members/:id',
  operationId: 'deleteMember',
  tag: 'Team',
  summary: 'Remove somebody, and end their sessions at once',
  description:
    'Everybody may remove themselves, viewers too, but the last admin. The session cookie is then taken away.',
  // Stops money, so a suspended partner may do it too.
  access: { by: 'person', action: 'member.delete', partner: 'any', onOneself: 'allowed' },
  params: Params,
  reply: {
    status: 200,
    description: 'They are gone.',
    schema: Removed,
    example: { id: exampleMember.id, removed: true },
  },
  errors: ['invalid_state'],
  handle: async (request, deps) => {
    const { id } = paramsOf<typeof Params>(request)
    const { email: by, partner, memberId } = personOf(request)
    const removed = await deps.db.transaction(async (tx) => {
      const result = await removeMember(tx, { partnerId: partner.id, id })
      if (result.outcome === 'changed') {
        const change = { partnerId: partner.id, by, action: 'member.delete', detail: result.member.email }
        await recordChange(tx, { ...change, status: 200 }, request, deps)
      }
      return result
    })
    const member = requireChanged(removed)
    const headers = member.id === memberId ? { 'Set-Cookie': endedCookie(deps.config.publicUrl) } : {}
    return { body: { id: member.id, removed: true }, headers, activity: 'written' }
  },
}

function requireChanged(changed: ChangedMember): MemberRow {
  if (changed.outcome === 'changed') return changed.member
  if (changed.outcome === 'not_found') throw new ApiError('not_found')
  if (changed.outcome === 'partner_not_active') throw new ApiError('partner_not_active')
  throw new ApiError('invalid_state', {
    message: 'The last admin can be neither removed nor made a viewer: make somebody else an admin first.',
    details: { status: 'last_admin' },
  })
}

function presentMember({ id, email, name, role, lastLoginAt, createdAt }: MemberRow): unknown {
  const last_login_at = lastLoginAt?.toISOString() ?? null
  const status = lastLoginAt === null ? 'invited' : 'active'
  return { id, email, name, role, status, last_login_at, created_at: createdAt.toISOString() }
}
