// GET /v1/public/partners/{slug}: the public profile of a partner.
import { Type } from 'typebox'
import { findPartnerBySlug, type PartnerRow } from '../../db/partners/partners'
import { slugPattern } from '../../domain/limits'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { paramsOf } from '../http/requests/read-request'
import { get, type OpenRequest, ok, type Reply } from '../http/route'
import { Answer, Component, Nullable, Pattern, Uri } from '../http/schema'
import { openToAnyone, validate } from '../http/steps'
import { logoUrlOf } from './logo'

const Params = Answer({ slug: Pattern(slugPattern, { description: 'The short name of the account.' }) })

const PublicPartner = Component('PublicPartner', {
  slug: Type.String(),
  name: Type.String(),
  logo_url: Type.Optional(Nullable(Uri())),
  brand_color: Type.Optional(Nullable(Type.String())),
})

export const getPublicPartnerRoute = get('/v1/public/partners/:slug', 'getPublicPartner', {
  steps: [openToAnyone, validate({ params: Params }), getPublicPartner],
  summary: 'Retrieve a public profile',
  description: 'The name, logo and colour that the sign-in page of the account shows.',
  reply: ok('The public profile.', PublicPartner, {
    slug: 'acme',
    name: 'Acme Ltd',
    logo_url: 'https://payouts.example.com/v1/public/partners/acme/logo?v=4f9a1c02b7d1',
    brand_color: '#0f766e',
  }),
  errors: ['not_found'],
})

async function getPublicPartner(request: OpenRequest, deps: ApiDeps): Promise<Reply> {
  const { slug } = paramsOf<typeof Params>(request)
  const partner = await findPartnerBySlug(deps.db, slug)
  if (partner === null || partner.status === 'closed') throw new ApiError('not_found')
  return { body: presentPublicPartner(partner, await logoUrlOf(partner, deps)) }
}

function presentPublicPartner({ slug, name, brandColor }: PartnerRow, logoUrl: string | null): unknown {
  return { slug, name, logo_url: logoUrl, brand_color: brandColor }
}
