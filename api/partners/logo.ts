// GET /v1/public/partners/{slug}/logo: the logo of a partner, and its URL in other responses.
import { Type } from 'typebox'
import { findLogo, findLogoDigest } from '../../db/partners/logos'
import type { PartnerRow } from '../../db/partners/partners'
import { slugPattern } from '../../domain/limits'
import { type Logo, logoMaxBytes, logoMaxPixels, logoOf } from '../../domain/partners/logo'
import type { ApiDeps } from '../deps'
import { ApiError } from '../http/errors'
import { IfNoneMatchHeader, matchesEtag } from '../http/prepared-text'
import { paramsOf } from '../http/requests/read-request'
import { get, type OpenRequest, type Reply } from '../http/route'
import { Answer, environmentQuery, Pattern, Strict } from '../http/schema'
import { openToAnyone, validate } from '../http/steps'

const Params = Answer({ slug: Pattern(slugPattern, { description: 'The short name of the account.' }) })

const Query = Strict({
  ...environmentQuery,
  v: Type.Optional(Type.String({ description: 'The version from `logo_url`. It affects only caching.' })),
})

export const getPartnerLogoRoute = get('/v1/public/partners/:slug/logo', 'getPartnerLogo', {
  steps: [openToAnyone, validate({ params: Params, query: Query }), getPartnerLogo],
  summary: 'Retrieve a logo',
  description: 'The logo of the account as an image file.',
  headers: IfNoneMatchHeader,
  reply: {
    status: 200,
    description: 'A PNG, JPEG or WebP image.',
    type: 'image/*',
    schema: Type.Unsafe<Buffer>({}),
    headers: { ETag: 'Identifies this version of the image.', 'Cache-Control': 'How long the image may be cached.' },
  },
  errors: ['not_found'],
})

async function getPartnerLogo(request: OpenRequest, { db }: ApiDeps): Promise<Reply> {
  const logo = await findLogo(db, paramsOf<typeof Params>(request).slug)
  if (logo === null) throw new ApiError('not_found')
  const etag = `"${logo.digest}"`
  const headers = { ETag: etag, 'Cache-Control': 'public, max-age=300' }
  if (matchesEtag(etag, request.header('If-None-Match'))) return { status: 304, body: null, headers }
  return { body: logo.bytes, type: logo.type, headers }
}

/**
 * The URL of the stored logo on our server, with a version so that a new logo appears immediately. Without a stored
 * logo, the URL that the partner has set.
 */
export async function logoUrlOf(
  { id, slug, logoUrl }: Pick<PartnerRow, 'id' | 'slug' | 'logoUrl'>,
  { db, config }: Pick<ApiDeps, 'db' | 'config'>,
): Promise<string | null> {
  const digest = await findLogoDigest(db, id)
  return digest === null ? logoUrl : `${config.publicUrl}/v1/public/partners/${slug}/logo?v=${digest.slice(0, 12)}`
}

const dataUrl = /^data:(image\/(?:png|jpeg|webp));base64,([A-Za-z0-9+/]+={0,2})$/
export const logoPattern = dataUrl.source
/** The base64 length of the largest logo plus the data: prefix. */
export const logoMaxLength = 4 * Math.ceil(logoMaxBytes / 3) + 'data:image/jpeg;base64,'.length
export const logoHint = `a PNG, JPEG or WebP of at most ${logoMaxBytes / 1024} KiB and ${logoMaxPixels} pixels a side, as data:image/png;base64,…`

/** Requires that the bytes match the stated type. */
export function readLogo(text: string): Logo {
  const [, type, base64 = ''] = dataUrl.exec(text) ?? []
  const known = logoTypes.find((each) => each === type)
  const logo = known === undefined ? null : logoOf(known, Buffer.from(base64, 'base64'))
  if (logo === null) throw new ApiError('invalid_request', { details: { errors: [`logo (${logoHint})`] } })
  return logo
}

const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const
