// Invitations: an admin invites a member and may resend the email, and the invited person may decline.
import { type Static, Type } from 'typebox'
import type { Tx } from '../../db/database'
import { enqueueMail } from '../../db/partners/mails'
import { declineInvitation, findMember, insertMember, type MemberRow, membershipsOf } from '../../db/partners/members'
import { findPartnerById } from '../../db/partners/partners'
import { assert } from '../../domain/assert'
import { nameMaxLength, slugPattern } from '../../domain/limits'
import { memberRoles } from '../../domain/partners/partner'
import { invitationsPerPartnerAndHour, resentInvitationsPerMemberAndHour } from '../../domain/sign-in'
import { invitationMessage } from '../../mail/messages/code'
import { recordChange } from '../controls/record-change'
import type { ApiDeps } from '../deps'
import { requireHourly } from '../http/callers/rate-limiter'
import { ApiError } from '../http/errors'
import { bodyOf, paramsOf } from '../http/requests/read-request'
import { type ApiRequest, del, get, type OpenRequest, ok, personOf, post, type Reply } from '../http/route'
import {
  Answer,
  Body,
  Component,
  Constant,
  Email,
  IdParams,
  MailedName,
  Nullable,
  OneOf,
  Pattern,
} from '../http/schema'
import { anyMember, checks, openToAnyone, validate } from '../http/steps'
import { type Confirmable, ConfirmCode, changeConfirmed, confirmRoute } from '../sign-in/confirm-codes'
import { exampleMember, Member, presentMember, viewerNeedsNoCode } from './members'
import { tellAdmins } from './tell-admins'

const memberFields = {
  email: Email(),
  name: Type.Optional(Nullable(MailedName({ maxLength: nameMaxLength }))),
  role: OneOf(memberRoles),
}

const MemberToConfirm = Body('MemberToConfirm', memberFields)

const NewMember = Body('NewMember', {
  ...memberFields,
  confirm_code: ConfirmCode('Required for an admin: the code from POST /v1/members/confirm-codes.'),
})

export const inviteMemberRoute = post('/v1/members', 'inviteMember', {
  steps: [...checks('member.create', { by: 'person', partner: 'active' }, { body: NewMember }), inviteMember],
  summary: 'Invite a team member',
  description: 'Inviting an admin needs a `confirm_code`.',
  bodyExample: { email: 'grace@acme.example.com', name: 'Grace Hopper', role: 'viewer' },
  reply: { status: 201, description: 'The new member.', schema: Member, example: exampleMember },
  errors: ['invalid_state', 'invalid_confirm_code'],
})

async function inviteMember(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { email, name = null, role, confirm_code } = bodyOf<typeof NewMember>(request)
  const { email: by, partner } = personOf(request)
  const needed = role === 'admin' ? boundToInvitation(email, name) : null
  const invite = async (tx: Tx) => {
    // Anyone can sign up, so a limit prevents spam through our emails. An invitation counts towards the limit only
    // after its code is checked, and separately for each role. So a stolen session cannot use up the limit for inviting
    // admins.
    await requireHourly(deps.rateLimiter, `invitations/${partner.id}/${role}`, invitationsPerPartnerAndHour, tx)
    const added = await insertMember(tx, { partnerId: partner.id, email, name, role, at: deps.clock.now() })
    if (added === 'already_member') throw new ApiError('invalid_state', { details: { status: 'already_member' } })
    await mailInvitation(tx, added, by, deps)
    const change = { partnerId: partner.id, by, action: 'member.create', detail: `${added.email} as ${role}` }
    await recordChange(tx, { ...change, status: 201 }, request, deps)
    if (role === 'admin') {
      const happened = { what: 'admin_invited', email: added.email } as const
      await tellAdmins(tx, { partnerId: partner.id, by, happened }, deps)
    }
    return added
  }
  const member = await changeConfirmed({ needed, code: confirm_code }, invite, request, deps)
  return { status: 201, body: presentMember(member), location: '/v1/members', activity: 'written' }
}

export const inviteMemberConfirmCodeRoute = confirmRoute(inviteMemberRoute, 'member.confirm', confirmInvitation, {
  body: MemberToConfirm,
  summary: 'Send a code to invite an admin',
  bodyExample: { email: 'grace@acme.example.com', name: 'Grace Hopper', role: 'admin' },
})

async function confirmInvitation(request: ApiRequest): Promise<Confirmable> {
  const { email, name = null, role } = bodyOf<typeof MemberToConfirm>(request)
  if (role !== 'admin') throw viewerNeedsNoCode()
  return {
    bound: boundToInvitation(email, name),
    mail: { what: 'admin_invited', email: email.toLowerCase(), name },
    activity: { detail: `${email.toLowerCase()} as ${role}` },
  }
}

async function mailInvitation(tx: Tx, invited: MemberRow, by: string, deps: ApiDeps): Promise<void> {
  const { id: memberId, partnerId, email: address, name, role } = invited
  const partner = await findPartnerById(tx, partnerId)
  assert(partner !== null, 'a caller must have a partner')
  const mail = invitationMessage({ address, name, role, by, partner, memberId, publicUrl: deps.config.publicUrl })
  const at = deps.clock.now()
  await enqueueMail(tx, deps.keyring, { kind: 'invitation', mail, at, expiresAt: new Date(at.getTime() + weekMs) })
}

const weekMs = 7 * 24 * 60 * 60 * 1000

function boundToInvitation(email: string, name: string | null) {
  return { action: 'member.create', fields: { email: email.toLowerCase(), name, role: 'admin' } }
}

export const resendInvitationRoute = post('/v1/members/:id/invitation', 'resendInvitation', {
  steps: [...checks('member.resend', { by: 'person', partner: 'active' }, { params: IdParams }), resendInvitation],
  summary: 'Resend an invitation',
  description:
    'Sends the email again to a member who has not signed in yet, at most 3 times an hour. The link of an earlier email stays ' +
    'valid: it contains no secret, and the person signs in with an emailed code. DELETE /v1/members/{id} withdraws an invitation.',
  reply: { status: 202, description: 'The email will be sent.', schema: Member, example: exampleMember },
  errors: ['invalid_state'],
})

async function resendInvitation(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { id } = paramsOf<typeof IdParams>(request)
  const { email: by, partner } = personOf(request)
  const invited = await deps.db.transaction(async (tx) => {
    const member = await findMember(tx, id)
    if (member?.partnerId !== partner.id) throw new ApiError('not_found')
    if (member.lastLoginAt !== null) throw new ApiError('invalid_state', { details: { status: 'active' } })
    const { rateLimiter } = deps
    await requireHourly(rateLimiter, `invitations-of/${member.id}`, resentInvitationsPerMemberAndHour, tx)
    await requireHourly(rateLimiter, `invitations/${partner.id}/${member.role}`, invitationsPerPartnerAndHour, tx)
    await mailInvitation(tx, member, by, deps)
    const change = { partnerId: partner.id, by, action: 'member.resend', detail: member.email }
    await recordChange(tx, { ...change, status: 202 }, request, deps)
    return member
  })
  deps.mails.wake()
  return { status: 202, body: presentMember(invited), activity: 'written' }
}

const Invitation = Component('Invitation', {
  object: Constant('invitation'),
  status: OneOf(['open', 'accepted']),
})

const exampleInvitation: Static<typeof Invitation> = { object: 'invitation', status: 'open' }

export const getInvitationRoute = get('/v1/public/invitations/:id', 'getInvitation', {
  steps: [openToAnyone, validate({ params: IdParams }), getInvitation],
  summary: 'Retrieve the status of an invitation',
  description: 'Used by the link in an invitation. Returns 404 if the invitation was withdrawn or declined.',
  reply: ok('The invitation.', Invitation, exampleInvitation),
  errors: ['not_found'],
})

/** Reveals nothing about the person or the partner, because anyone who has the link can call this route. */
async function getInvitation(request: OpenRequest, { db }: ApiDeps): Promise<Reply> {
  const member = await findMember(db, paramsOf<typeof IdParams>(request).id)
  const partner = member && (await findPartnerById(db, member.partnerId))
  if (member === null || partner?.status === 'closed') throw new ApiError('not_found')
  return { body: { object: 'invitation', status: member.lastLoginAt === null ? 'open' : 'accepted' } }
}

const Params = Answer({
  slug: Pattern(slugPattern, { description: 'The slug of the account that sent the invitation.' }),
})

const Declined = Component('InvitationDeclined', { slug: Type.String(), declined: Type.Literal(true) })

export const deleteInvitationRoute = del('/v1/auth/invitations/:slug', 'deleteInvitation', {
  steps: [...checks('member.decline', anyMember, { params: Params }), deleteInvitation],
  summary: 'Decline an invitation',
  description:
    'Declines an invitation that another account sent to the signed-in email. A member who has accepted it can leave with DELETE /v1/members/{id}.',
  reply: ok('The invitation is deleted.', Declined, { slug: 'acme', declined: true }),
})

async function deleteInvitation(request: ApiRequest, deps: ApiDeps): Promise<Reply> {
  const { slug } = paramsOf<typeof Params>(request)
  const { email } = personOf(request)
  const invitation = (await membershipsOf(deps.db, email, deps.clock.now())).find((each) => each.slug === slug)
  if (invitation === undefined) throw new ApiError('not_found')
  await deps.db.transaction(async (tx) => {
    if ((await declineInvitation(tx, invitation)) === null) throw new ApiError('not_found')
    const change = { partnerId: invitation.partnerId, by: email, action: 'member.decline' }
    await recordChange(tx, { ...change, status: 200 }, request, deps)
  })
  return { body: { slug, declined: true }, activity: 'written' }
}
