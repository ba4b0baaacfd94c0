// /v1/members: a partner's people, who may read or also change things (§1, §2 Member); one admin always stays.
import { type Static, Type } from 'typebox'
import type { Tx } from '../../db/database'
import { enqueueMail } from '../../db/partners/mails'
import {
  type ChangedMember,
  changeRole,
  findMember,
  insertMember,
  listMembers,
  type MemberRow,
  removeMember,
} from '../../db/partners/members'
import { findPartnerById } from '../../db/partners/partners'
import { assert } from '../../domain/assert'
import { nameMaxLength } from '../../domain/limits'
import { memberRoles } from '../../domain/partners/partner'
import { invitationsPerPartnerAndHour } from '../../domain/sign-in'
import { invitationMessage } from '../../mail/messages/code'
import { recordChange } from '../controls/record-change'
import { requireHourly } from '../http/callers/rate-limiter'
import { endedCookie } from '../http/callers/session-cookie'
import { ApiError } from '../http/errors'
import { presentList } from '../http/list'
import { bodyOf, paramsOf } from '../http/requests/typed'
import { personOf, type Route } from '../http/route'
import { Answer, DateTime, Email, ListOf, MailedName, Nullable, OneOf, Strict, Uuid } from '../http/schema'
import {
  type Bound,
  ConfirmCode,
  changeConfirmed,
  confirmationOf,
  confirmCodeRoute,
  noCodeNeeded,
} from '../sign-in/confirm-codes'
import { tellAdmins } from './tell-admins'

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

const memberFields = {
  email: Email(),
  name: Type.Optional(Nullable(MailedName({ maxLength: nameMaxLength }))),
  role: OneOf(memberRoles),
}

const MemberToConfirm = Strict(memberFields, { title: 'MemberToConfirm' })

const NewMember = Strict(
  {
    ...memberFields,
    confirm_code: ConfirmCode('Required for an admin: the code from POST /v1/members/confirm-codes.'),
  },
  { title: 'NewMember' },
)

export const inviteMember: Route = {
  method: 'POST',
  path: '/v1/members',
  operationId: 'inviteMember',
  tag: 'Team',
  summary: 'Add somebody and email them an invitation',
  description: 'An admin is invited with a `confirm_code`.',
  access: { by: 'person', action: 'member.create', partner: 'active' },
  body: {
    schema: NewMember,
    example: { email: 'grace@acme.example.com', name: 'Grace Hopper', role: 'viewer' },
  },
  reply: { status: 201, description: 'The new member.', schema: Member, example: exampleMember },
  errors: ['invalid_state', 'invalid_confirm_code'],
  handle: async (request, deps) => {
    const { email, name = null, role, confirm_code } = bodyOf<typeof NewMember>(request)
    const { email: by, partner } = personOf(request)
    const confirmation =
      role === 'admin' ? confirmationOf(boundToInvitation(email, name), confirm_code, request, deps) : null
    const invite = async (tx: Tx) => {
      // Anyone can sign up: our mails must not become a way to write to strangers. Counted after the code and per role, so
      // that a stolen session cannot use up the invitations of admins.
      await requireHourly(deps.rateLimiter, `invitations/${partner.id}/${role}`, invitationsPerPartnerAndHour, tx)
      const at = deps.clock.now()
      const added = await insertMember(tx, { partnerId: partner.id, email, name, role, at })
      if (added === 'already_member') throw new ApiError('invalid_state', { details: { status: 'already_member' } })
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
    }
    const member = await changeConfirmed(confirmation, invite, deps)
    deps.mails.wake()
    return { status: 201, body: presentMember(member), location: '/v1/members', activity: 'written' }
  },
}

export const inviteMemberConfirmCode: Route = confirmCodeRoute({
  confirms: inviteMember,
  operationId: 'inviteMemberConfirmCode',
  summary: 'Email the code for the invitation of an admin',
  body: {
    schema: MemberToConfirm,
    example: { email: 'grace@acme.example.com', name: 'Grace Hopper', role: 'admin' },
  },
  action: 'member.confirm',
  errors: [],
  read: async (request) => {
    const { email, name = null, role } = bodyOf<typeof MemberToConfirm>(request)
    if (role !== 'admin') throw viewerNeedsNoCode()
    return {
      bound: boundToInvitation(email, name),
      mail: { what: 'admin_invited', email: email.toLowerCase(), name },
      activity: { detail: `${email.toLowerCase()} as ${role}` },
    }
  },
})

function boundToInvitation(email: string, name: string | null): Bound {
  return { action: 'member.create', fields: { email: email.toLowerCase(), name, role: 'admin' } }
}

function viewerNeedsNoCode(): ApiError {
  return noCodeNeeded('Only an admin needs a code.', { status: 'viewer' })
}

const weekMs = 7 * 24 * 60 * 60 * 1000

const roleField = { role: OneOf(memberRoles) }

const MemberChangesToConfirm = Strict(roleField, { title: 'MemberChangesToConfirm' })

const MemberChanges = Strict(
  {
    ...roleField,
    confirm_code: ConfirmCode('Required to make an admin: the code from POST /v1/members/{id}/confirm-codes.'),
  },
  { title: 'MemberChanges' },
)

export const changeMember: Route = {
  method: 'PATCH',
  path: '/v1/members/:id',
  operationId: 'changeMember',
  tag: 'Team',
  summary: "Change a member's role",
  description:
    'Takes effect on their next request. A promotion to admin needs a `confirm_code`. The last admin cannot be demoted. A ' +
    'suspended partner can demote an admin, but not promote a viewer.',
  // Takes power away, so a suspended partner may do it. The transaction refuses the other direction.
  access: { by: 'person', action: 'member.update', partner: 'any' },
  params: Params,
  body: { schema: MemberChanges, example: { role: 'viewer' } },
  reply: { status: 200, description: 'The member.', schema: Member, example: exampleMember },
  errors: ['invalid_state', 'invalid_confirm_code'],
  handle: async (request, deps) => {
    const id = paramsOf<typeof Params>(request).id.toLowerCase()
    const { role, confirm_code } = bodyOf<typeof MemberChanges>(request)
    const { email: by, partner } = personOf(request)
    if (role === 'admin' && partner.status !== 'active') throw new ApiError('partner_not_active')
    const confirmation = role === 'admin' ? confirmationOf(boundToPromotion(id), confirm_code, request, deps) : null
    const change = async (tx: Tx) => {
      const { member, roleBefore } = requireChanged(await changeRole(tx, { partnerId: partner.id, id, role }))
      if (roleBefore !== role) {
        const recorded = { partnerId: partner.id, by, action: 'member.update', detail: `${member.email} as ${role}` }
        await recordChange(tx, { ...recorded, status: 200 }, request, deps)
        const happened = { what: role === 'admin' ? 'made_admin' : 'made_viewer', email: member.email } as const
        await tellAdmins(tx, { partnerId: partner.id, by, happened }, deps)
      }
      return member
    }
    const member = await changeConfirmed(confirmation, change, deps)
    deps.mails.wake()
    return { body: presentMember(member), activity: 'written' }
  },
}

export const changeMemberConfirmCode: Route = confirmCodeRoute({
  // Unlike a demotion, a promotion is for active partners.
  confirms: { ...changeMember, access: { by: 'person', action: 'member.update', partner: 'active' } },
  operationId: 'changeMemberConfirmCode',
  summary: 'Email the code for a promotion to admin',
  body: { schema: MemberChangesToConfirm, example: { role: 'admin' } },
  action: 'member.confirm',
  errors: [],
  read: async (request, { db }) => {
    const id = paramsOf<typeof Params>(request).id.toLowerCase()
    const { role } = bodyOf<typeof MemberChangesToConfirm>(request)
    const member = await findMember(db, id)
    if (member?.partnerId !== personOf(request).partner.id) throw new ApiError('not_found')
    if (role !== 'admin') throw viewerNeedsNoCode()
    return {
      bound: boundToPromotion(id),
      mail: { what: 'made_admin', email: member.email, name: member.name },
      activity: { detail: `${member.email} as ${role}` },
    }
  },
})

function boundToPromotion(id: string): Bound {
  return { action: 'member.update', fields: { id, role: 'admin' } }
}

const Removed = Answer({ id: Uuid(), removed: Type.Literal(true) }, { title: 'MemberRemoved' })

export const deleteMember: Route = {
  method: 'DELETE',
  path: '/v1/members/:id',
  operationId: 'deleteMember',
  tag: 'Team',
  summary: 'Remove a member and end their sessions',
  description:
    'All admins and the removed member are mailed. Members can remove themselves, which ends their session; the last admin cannot.',
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
    const member = await deps.db.transaction(async (tx) => {
      const { member: removed } = requireChanged(await removeMember(tx, { partnerId: partner.id, id }))
      const change = { partnerId: partner.id, by, action: 'member.delete', detail: removed.email }
      await recordChange(tx, { ...change, status: 200 }, request, deps)
      // A withdrawn invitation takes no power away. A removed admin would otherwise miss what the remover does next.
      const happened = { what: 'removed', email: removed.email } as const
      if (removed.lastLoginAt !== null) await tellAdmins(tx, { partnerId: partner.id, by, happened, removed }, deps)
      return removed
    })
    deps.mails.wake()
    const headers = member.id === memberId ? { 'Set-Cookie': endedCookie(deps.config.publicUrl) } : {}
    return { body: { id: member.id, removed: true }, headers, activity: 'written' }
  },
}

function requireChanged(changed: ChangedMember): Extract<ChangedMember, { outcome: 'changed' }> {
  if (changed.outcome === 'changed') return changed
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
