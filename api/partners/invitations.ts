// DELETE /v1/auth/invitations/{slug}: declines an invitation, without signing in to the partner that sent it.
import { Type } from 'typebox'
import { declineInvitation, membershipsOf } from '../../db/partners/members'
import { slugPattern } from '../../domain/limits'
import { recordChange } from '../controls/record-change'
import { ApiError } from '../http/errors'
import { paramsOf } from '../http/requests/typed'
import { personOf, type Route } from '../http/route'
import { Answer, Pattern } from '../http/schema'

const Params = Answer({ slug: Pattern(slugPattern, { description: 'Of the partner that has invited them.' }) })

const Declined = Answer({ slug: Type.String(), declined: Type.Literal(true) }, { title: 'InvitationDeclined' })

export const deleteInvitation: Route = {
  method: 'DELETE',
  path: '/v1/auth/invitations/:slug',
  operationId: 'deleteInvitation',
  tag: 'Sign-in',
  summary: 'Decline an invitation',
  description:
    'Of another partner to the email that is signed in. Who has signed in there leaves by DELETE /v1/members/{id}.',
  access: { by: 'person', action: 'member.decline', partner: 'any', role: 'viewer' },
  params: Params,
  reply: {
    status: 200,
    description: 'The invitation is gone.',
    schema: Declined,
    example: { slug: 'acme', declined: true },
  },
  errors: [],
  handle: async (request, deps) => {
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
  },
}
