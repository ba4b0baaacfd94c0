// /v1/members: the members of a partner. Viewers read, and admins also make changes. Every member except the last admin
// can leave.
import { type Static, Type } from 'typebox'
import type { Tx } from '../../db/database'
import {
  type ChangedMember,
  changeRole,
  findMember,
  listMembers,
  type MemberRow,
  removeMember,
} from '../../db/partners/members'
import { memberRoles } from '../../domain/partners/partner'
import { recordChange } from '../controls/record-change'
import type { ApiDeps } from '../deps'
import { endedCookie } from '../http/callers/cookies'
import { ApiError } from '../http/errors'
import { listShape, presentList } from '../http/list'
import { bodyOf, paramsOf } from '../http/requests/read-request'
import { type ApiRequest, del, get, ok, patch, personOf, type Reply } from '../http/route'
import { Body, Component, DateTime, Email, IdParams, Nullable, OneOf, Uuid } from '../http/schema'
import { checks } from '../http/steps'
import { type Confirmable, ConfirmCode, changeConfirmed, confirmRoute, noCodeNeeded } from '../sign-in/confirm-codes'
import { tellAdmins } from './tell-admins'

export const Member = Component('Member', {
  id: Uuid(),
  email: Email(),
  name: Nullable(Type.String()),
  role: OneOf(memberRoles),
  status: OneOf(['invited', 'active'], { description: 'A member is invited until the first sign-in.' }),
  last_login_at: Nullable(DateTime()),
  created_at: DateTime(),
})

export const exampleMember: Static<typeof Member> = {
  id: '01999f2b-6c1e-7d3a-9b60-2f4f0c6f1a58',
  email: 'grace@acme.example.com',
  name: 'Grace Hopper',
  role: 'viewer',
  status: 'invited',
  last_login_at: null,
  created_at: '2026-11-16T09:00:00.000Z',
}

export const listTeamRoute = get('/v1/members', 'listMembers', {
  steps: [...checks('member.list', { by: 'person', partner: 'any' }), listTeam],
  summary: 'List team members',
  description: 'Everyone who can sign in to this account, and everyone who is invited.',
  reply: listShape('The members, oldest first.', Member, [exampleMember]),
})

async function listTeam({ caller }: ApiRequest, { db }: ApiDeps): Promise<Reply> {
  const members = await listMembers(db, caller.partner.id)
  return { body: presentList(members.map(presentMember)) }
}

export function viewerNeedsNoCode(): ApiError {
  return noCodeNeeded('A code is needed only to give someone the admin role.', { status: 'viewer' })
}

const roleField = { role: OneOf(memberRoles) }

const MemberChangesToConfirm = Body('MemberChangesToConfirm', roleField)

const MemberChanges = Body('MemberChanges', {
  ...roleField,
  confirm_code: ConfirmCode(
    'Required to promote a member to admin: the code from POST /v1/members/{id}/confirm-codes.',
  ),
})

export const changeMemberRoute = patch('/v1/members/:id', 'changeMember', {
  // A demotion removes rights, so a suspended partner may do it. The transaction refuses a promotion by a suspended
  // partner.
  steps: [
    ...checks('member.update', { by: 'person', partner: 'any' }, { params: IdParams, body: MemberChanges }),
    changeMember,
  ],
  summary: 'Change the role of a team member',
  description:
    'Takes effect on their next request. A promotion to admin needs a `confirm_code`. The last admin cannot be demoted. A ' +
    'suspended account can demote an admin, but not promote a viewer.',
  bodyExample: { role: 'viewer' },
  reply: ok('The member.', Member, exampleMember),
  errors: ['invalid_state', 'invalid_confirm_code'],
})

async function changeMember(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const id = paramsOf<typeof IdParams>(request).id.toLowerCase()
  const { role, confirm_code } = bodyOf<typeof MemberChanges>(request)
  const { email: by, partner } = personOf(request)
  if (role === 'admin' && partner.status !== 'active') throw new ApiError('partner_not_active')
  const needed = role === 'admin' ? boundToPromotion(id) : null
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
  const member = await changeConfirmed({ needed, code: confirm_code }, change, request, deps)
  return { body: presentMember(member), activity: 'written' }
}

// Not available to suspended partners. They may only demote an admin, which needs no code.
export const changeMemberConfirmCodeRoute = confirmRoute(changeMemberRoute, 'member.confirm', confirmPromotion, {
  body: MemberChangesToConfirm,
  summary: 'Send a code to make a member an admin',
  bodyExample: { role: 'admin' },
})

async function confirmPromotion(request: ApiRequest, { db }: ApiDeps): Promise<Confirmable> {
  const id = paramsOf<typeof IdParams>(request).id.toLowerCase()
  const { role } = bodyOf<typeof MemberChangesToConfirm>(request)
  const member = await findMember(db, id)
  if (member?.partnerId !== personOf(request).partner.id) throw new ApiError('not_found')
  if (role !== 'admin') throw viewerNeedsNoCode()
  return {
    bound: boundToPromotion(id),
    mail: { what: 'made_admin', email: member.email, name: member.name },
    activity: { detail: `${member.email} as ${role}` },
  }
}

function boundToPromotion(id: string) {
  return { action: 'member.update', fields: { id, role: 'admin' } }
}

const Removed = Component('MemberRemoved', { id: Uuid(), removed: Type.Literal(true) })

export const deleteMemberRoute = del('/v1/members/:id', 'deleteMember', {
  // A removal can only stop payments, so a suspended partner may do it too.
  steps: [
    ...checks('member.delete', { by: 'person', partner: 'any', onOneself: 'allowed' }, { params: IdParams }),
    deleteMember,
  ],
  summary: 'Remove a team member',
  description:
    'All admins and the removed member get an email. Members can remove themselves, which ends their session. The last admin cannot.',
  reply: ok('The member is removed.', Removed, { id: exampleMember.id, removed: true }),
  errors: ['invalid_state'],
})

async function deleteMember(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { id } = paramsOf<typeof IdParams>(request)
  const { email: by, partner, memberId } = personOf(request)
  const member = await deps.db.transaction(async (tx) => {
    const { member: removed } = requireChanged(await removeMember(tx, { partnerId: partner.id, id }))
    const change = { partnerId: partner.id, by, action: 'member.delete', detail: removed.email }
    await recordChange(tx, { ...change, status: 200 }, request, deps)
    // Withdrawing an invitation removes no rights, so no email is sent. Otherwise the removed member also gets the
    // email, because they can no longer see the activity list.
    const happened = { what: 'removed', email: removed.email } as const
    if (removed.lastLoginAt !== null) await tellAdmins(tx, { partnerId: partner.id, by, happened, removed }, deps)
    return removed
  })
  deps.mails.wake()
  const headers = member.id === memberId ? { 'Set-Cookie': endedCookie(deps.config.publicUrl) } : {}
  return { body: { id: member.id, removed: true }, headers, activity: 'written' }
}

function requireChanged(changed: ChangedMember): Extract<ChangedMember, { outcome: 'changed' }> {
  if (changed.outcome === 'changed') return changed
  if (changed.outcome === 'not_found') throw new ApiError('not_found')
  if (changed.outcome === 'partner_not_active') throw new ApiError('partner_not_active')
  throw new ApiError('invalid_state', {
    message: 'The last admin can be neither removed nor demoted. Make another member an admin first.',
    details: { status: 'last_admin' },
  })
}

export function presentMember({ id, email, name, role, lastLoginAt, createdAt }: MemberRow): unknown {
  const last_login_at = lastLoginAt?.toISOString() ?? null
  const status = lastLoginAt === null ? 'invited' : 'active'
  return { id, email, name, role, status, last_login_at, created_at: createdAt.toISOString() }
}
