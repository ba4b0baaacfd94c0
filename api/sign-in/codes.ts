// POST /v1/auth/codes and /v1/auth/signups: emails a 6-digit code without revealing whether the address is known.
import { type Static, Type } from 'typebox'
import { enqueueMail, type OutgoingMail } from '../../db/partners/mails'
import { issueCode, type NewCode } from '../../db/sign-in/codes'
import { partnerNameMaxLength } from '../../domain/limits'
import { codeLastsMs, codesPerEmailAndHour, forgivingCodesPerEmailAndHour } from '../../domain/sign-in'
import { signInMessage, signUpMessage } from '../../mail/messages/code'
import type { ApiDeps } from '../deps'
import { browserCookie, browserDigest, newBrowserToken, readBrowserToken } from '../http/callers/cookies'
import { ApiError } from '../http/errors'
import { bodyOf } from '../http/requests/read-request'
import { type OpenRequest, post, type Reply, type ReplyShape } from '../http/route'
import { Body, Component, Constant, Email, MailedName } from '../http/schema'
import { openToAnyone, validate } from '../http/steps'
import { countCodeRequest, countSignUp, tooManyCodes } from './limits'

const CodeRequest = Body('CodeRequest', { email: Email({ description: 'The address to which the code is sent.' }) })

const SignUpRequest = Body('SignUpRequest', {
  business_name: MailedName({ maxLength: partnerNameMaxLength }),
  email: Email({ description: 'A work email. Its owner becomes the first admin.' }),
})

const CodeSent = Component('CodeSent', {
  object: Constant('code_request'),
  sent_to: Email(),
  expires_in: Type.Integer({ description: 'The number of seconds for which the code is valid.' }),
})

const exampleCodeSent: Static<typeof CodeSent> = {
  object: 'code_request',
  sent_to: 'ada@acme.example.com',
  expires_in: codeLastsMs / 1000,
}

const codeSent = (description: string): ReplyShape => ({
  status: 202,
  description,
  schema: CodeSent,
  example: exampleCodeSent,
  headers: {
    'Set-Cookie': '`__Host-browser`, or `browser` on http://localhost: the code works only together with this cookie.',
  },
})

export const requestCodeRoute = post('/v1/auth/codes', 'requestCode', {
  steps: [openToAnyone, validate({ body: CodeRequest }), requestCode],
  summary: 'Send a sign-in code',
  description:
    'The response is the same whether or not the email is known. The code works only in the browser that requested it, which a cookie ' +
    'identifies. A new code voids the previous sign-in code for the same email in the same browser, and no other.',
  bodyExample: { email: 'ada@acme.example.com' },
  reply: codeSent('If the email belongs to a member, a code is sent to it.'),
  errors: ['rate_limited'],
})

async function requestCode(request: OpenRequest, deps: ApiDeps): Promise<Reply> {
  const email = bodyOf<typeof CodeRequest>(request).email.toLowerCase()
  return emailCode(request, deps, { purpose: 'sign_in', email, message: signInMessage })
}

export const signUpRoute = post('/v1/auth/signups', 'signUp', {
  steps: [openToAnyone, validate({ body: SignUpRequest }), signUp],
  summary: 'Sign up a business',
  description:
    'Emails a code. The account and its sandbox are created when the code is used at POST /v1/auth/sessions with `purpose: sign_up`.',
  bodyExample: { business_name: 'Acme Ltd', email: 'ada@acme.example.com' },
  reply: codeSent('The code will be emailed.'),
  errors: ['rate_limited', 'route_not_found'],
})

async function signUp(request: OpenRequest, deps: ApiDeps): Promise<Reply> {
  if (deps.config.signUp === 'off') throw new ApiError('route_not_found')
  await countSignUp(request, deps)
  const { email, business_name } = bodyOf<typeof SignUpRequest>(request)
  const said = { businessName: business_name.trim() }
  return emailCode(request, deps, { purpose: 'sign_up', email: email.toLowerCase(), message: signUpMessage, said })
}

interface CodeToMail extends Pick<NewCode, 'purpose' | 'said'> {
  readonly purpose: 'sign_in' | 'sign_up'
  readonly email: string
  readonly message: (code: { address: string; code: string }) => OutgoingMail
}

/** Does the same work for every address. The mail sender checks later whether the address belongs to a member. */
async function emailCode(
  request: OpenRequest,
  deps: ApiDeps,
  { email, message, ...wanted }: CodeToMail,
): Promise<Reply> {
  await countCodeRequest(request, email, deps)
  const { db, keyring, clock, mails, config } = deps
  const at = clock.now()
  const token = readBrowserToken(config.publicUrl, request.header('Cookie')) ?? newBrowserToken()
  const limits = { perHour: codesPerEmailAndHour, forgivingPerHour: forgivingCodesPerEmailAndHour }
  const asked = { ...wanted, ...limits, subject: email, boundTo: browserDigest(token), at }
  const issued = await db.transaction(async (tx) => {
    const result = await issueCode(tx, keyring, asked)
    if (result.outcome === 'issued') {
      const mail = message({ address: email, code: result.code })
      await enqueueMail(tx, keyring, { kind: wanted.purpose, mail, at, expiresAt: result.expiresAt })
    }
    return result
  })
  if (issued.outcome === 'too_many') {
    throw tooManyCodes(Math.ceil((issued.retryAt.getTime() - at.getTime()) / 1000))
  }
  mails.wake()
  const body = { object: 'code_request', sent_to: email, expires_in: codeLastsMs / 1000 }
  return { status: 202, body, headers: { 'Set-Cookie': browserCookie(config.publicUrl, token) } }
}
