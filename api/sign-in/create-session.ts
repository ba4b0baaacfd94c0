// POST /v1/auth/sessions: exchanges an emailed code for a session. A sign-up code creates the partner first.
import { type Static, Type } from 'typebox'
import type { Tx } from '../../db/database'
import { type Membership, membershipsOf } from '../../db/partners/members'
import { findOpenCode, giveCodeBack, type OpenCode, useCode } from '../../db/sign-in/codes'
import { endSessionOfToken, openSession } from '../../db/sign-in/sessions'
import { slugPattern } from '../../domain/limits'
import { codePattern, deviceOf } from '../../domain/sign-in'
import { recordChange } from '../controls/record-change'
import type { ApiDeps } from '../deps'
import { browserDigest, readBrowserToken, readSessionCookie, sessionCookie } from '../http/callers/cookies'
import { ApiError } from '../http/errors'
import { bodyOf } from '../http/requests/read-request'
import { type OpenRequest, post, type Reply } from '../http/route'
import { Body, Email, OneOf, Pattern } from '../http/schema'
import { openToAnyone, validate } from '../http/steps'
import { countTry } from './limits'
import { describeSession, exampleSession, Session } from './session-answer'

const SignInRequest = Body('SignInRequest', {
  email: Email(),
  code: Pattern(codePattern, {
    description: 'The newest code that this browser requested for this purpose.',
    'x-hint': '6 digits',
  }),
  purpose: Type.Optional(
    OneOf(['sign_in', 'sign_up'], {
      description: 'The purpose of the code. A sign-up code creates the account only with `sign_up`.',
      default: 'sign_in',
      'x-hint': 'sign_in or sign_up',
    }),
  ),
  partner: Type.Optional(
    Pattern(slugPattern, {
      description: 'The slug of the account to sign in to. If omitted, the account of the last sign-in.',
    }),
  ),
})

export const createSessionRoute = post('/v1/auth/sessions', 'createSession', {
  steps: [openToAnyone, validate({ body: SignInRequest }), createSession],
  summary: 'Sign in with a code',
  description:
    'Sets the session cookie. A code works once, for 10 minutes, in the browser that requested it (with its cookie `__Host-browser`), ' +
    'and not after 5 wrong attempts. When many codes were requested for one email within an hour, the later ones allow one attempt.',
  bodyExample: { email: 'ada@acme.example.com', code: '482913' },
  reply: {
    status: 201,
    description: 'The person and the account of the session.',
    schema: Session,
    example: exampleSession,
    headers: {
      'Set-Cookie': '`__Host-session`, or `session` on http://localhost: the session. Scripts cannot read it.',
    },
  },
  errors: ['invalid_code', 'unauthorized', 'rate_limited'],
})

async function createSession(request: OpenRequest, deps: ApiDeps): Promise<Reply> {
  await countTry(request, deps)
  const { email, code, partner, purpose = 'sign_in' } = bodyOf<typeof SignInRequest>(request)
  // A caller that names a partner wants to sign in to it, but a sign-up would create a new one.
  if (purpose === 'sign_up' && partner !== undefined) {
    throw new ApiError('invalid_request', { details: { errors: ['partner (not with purpose sign_up)'] } })
  }
  const wanted = { email: email.toLowerCase(), code, partner }
  const browser = readBrowserToken(deps.config.publicUrl, request.header('Cookie'))
  if (browser === null) throw noOpenCode()
  const boundTo = browserDigest(browser)
  const found = await findOpenCode(deps.db, { purpose, subject: wanted.email, boundTo, at: deps.clock.now() })
  if (found === null) throw noOpenCode()
  const tried = await deps.db.transaction((tx) => useAndOpen(tx, found, wanted, request, deps))
  if (tried === null) throw new ApiError('invalid_code')
  if ('opened' in tried) return signedIn(tried.opened, deps)
  return signedIn(await openSignedUp(tried.signUp, wanted.email, request, deps), deps)
}

/**
 * The error if this browser has no usable code. It reveals nothing, because unknown email addresses have codes too.
 */
function noOpenCode(): ApiError {
  const message =
    'This browser has no valid code: it was used, has expired or was entered wrongly too often. Request a new one.'
  return new ApiError('invalid_code', { message })
}

interface Wanted extends Pick<Static<typeof SignInRequest>, 'email' | 'code'> {
  readonly partner: string | undefined
}

interface Opened {
  readonly token: string
  readonly sessionId: string
  readonly email: string
  readonly membership: Membership
}

/**
 * One transaction, so that a sign-in code is consumed only if its session is created. A wrong attempt is committed too,
 * so that it counts.
 */
async function useAndOpen(
  tx: Tx,
  found: OpenCode,
  { email, code, partner }: Wanted,
  request: OpenRequest,
  deps: ApiDeps,
): Promise<{ readonly opened: Opened } | { readonly signUp: string } | null> {
  const used = await useCode(tx, deps.keyring, found, { code, at: deps.clock.now() })
  if (used === null) return null
  if (used.purpose === 'sign_up') return { signUp: used.id }
  const memberships = await membershipsOf(tx, email, deps.clock.now())
  const chosen = partner === undefined ? memberships[0] : memberships.find(({ slug }) => slug === partner)
  if (chosen === undefined) {
    // The person is not a member of this partner. The code was right, so it stays valid for their own partners.
    await giveCodeBack(tx, used)
    return null
  }
  const opened = await open(tx, email, chosen, request, deps)
  return opened === null ? null : { opened }
}

/** If the partner cannot be created now, the code becomes usable again. */
async function openSignedUp(codeId: string, email: string, request: OpenRequest, deps: ApiDeps): Promise<Opened> {
  const partnerId = await deps.workflows.signUp(codeId)
  const opened = await deps.db.transaction(async (tx) => {
    const membership = (await membershipsOf(tx, email, deps.clock.now())).find((each) => each.partnerId === partnerId)
    if (membership !== undefined) return open(tx, email, membership, request, deps)
    await giveCodeBack(tx, { id: codeId })
    return 'not_opened'
  })
  if (opened === 'not_opened') throw new ApiError('service_unavailable')
  if (opened === null) throw new ApiError('invalid_code')
  return opened
}

/** Null if the member no longer exists. */
async function open(
  tx: Tx,
  email: string,
  membership: Membership,
  request: OpenRequest,
  deps: ApiDeps,
): Promise<Opened | null> {
  const { clock, config } = deps
  const at = clock.now()
  const { memberId, partnerId } = membership
  const device = deviceOf(request.header('User-Agent'))
  // Locks the member before the session, in the same order as a removal, to avoid a deadlock.
  const opened = await openSession(tx, { memberId, at, absoluteMs: config.session.absoluteMs, device })
  if (opened === null) return null
  const { token, sessionId } = opened
  // Each sign-in gets a new token, to prevent session fixation.
  const before = readSessionCookie(config.publicUrl, request.header('Cookie'))
  if (before !== null) await endSessionOfToken(tx, before, at)
  await recordChange(tx, { partnerId, by: email, action: 'login.verify', status: 201 }, request, deps)
  return { token, sessionId, email, membership }
}

async function signedIn({ token, sessionId, email, membership }: Opened, deps: ApiDeps): Promise<Reply> {
  const { publicUrl, session } = deps.config
  const { memberId, partnerId } = membership
  return {
    status: 201,
    body: await describeSession({ sessionId, memberId, email, partnerId }, deps),
    location: '/v1/auth/session',
    headers: { 'Set-Cookie': sessionCookie(publicUrl, token, session.absoluteMs) },
  }
}
