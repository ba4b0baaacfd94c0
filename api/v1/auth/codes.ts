// POST /v1/auth/codes and /v1/auth/signups: emails a 6-digit code, and tells nobody whether the email is known (§5.9, design §6).
import { type Static, Type } from 'typebox'
import { issueCode, type NewCode, toKnownBrowsers } from '../../../db/codes'
import { enqueueMail, type OutgoingMail } from '../../../db/mails'
import { codeLastsMs, codesPerEmailAndHour, signUpCodesPerEmailAndHour } from '../../../domain/sign-in'
import { newBrowserMessage, signInMessage, signUpMessage } from '../../../mail/code-message'
import { isKnownBrowser } from '../../browser-cookie'
import type { ApiDeps } from '../../deps'
import { ApiError } from '../../errors'
import type { ApiRequest, Reply, ReplyShape, Route } from '../../route'
import { Answer, Constant, Email, Name, Strict } from '../../schema'
import { bodyOf } from '../typed'
import { countCodeRequest } from './limits'

const CodeRequest = Strict({ email: Email({ description: 'Where the code is sent to.' }) }, { title: 'CodeRequest' })

const SignUpRequest = Strict(
  {
    business_name: Name({ maxLength: 120, 'x-hint': '1 to 120 characters' }),
    email: Email({ description: 'A work email; it becomes the first admin.' }),
  },
  { title: 'SignUpRequest' },
)

const CodeSent = Answer(
  {
    object: Constant('code_request'),
    sent_to: Email(),
    expires_in: Type.Integer({ description: 'For how many seconds the code is valid.' }),
  },
  { title: 'CodeSent' },
)

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
})

export const requestCode: Route = {
  method: 'POST',
  path: '/v1/auth/codes',
  operationId: 'requestCode',
  tag: 'Sign-in',
  summary: 'Email a sign-in code',
  description:
    'The answer is the same whether or not the email is known. A new code makes the sign-in code before it void. With the cookie of ' +
    'a browser in which this email has signed in, the code is for such browsers, and neither counted nor made void with those of others.',
  access: { by: 'anyone' },
  body: { schema: CodeRequest, example: { email: 'ada@acme.example.com' } },
  reply: codeSent('If somebody signs in with this email, a code is on its way.'),
  errors: ['rate_limited'],
  handle: async (request, deps) => {
    const email = bodyOf<typeof CodeRequest>(request).email.toLowerCase()
    const wanted = { purpose: 'sign_in', email, perHour: codesPerEmailAndHour } as const
    return isKnownBrowser(email, request, deps)
      ? emailCode(request, deps, { ...wanted, message: signInMessage, boundTo: toKnownBrowsers })
      : emailCode(request, deps, { ...wanted, message: newBrowserMessage })
  },
}

export const signUp: Route = {
  method: 'POST',
  path: '/v1/auth/signups',
  operationId: 'signUp',
  tag: 'Sign-in',
  summary: 'Open an account for a business',
  description:
    'Emails a code; the partner is opened, with a sandbox, when the code is used at POST /v1/auth/sessions with `purpose: sign_up`.',
  access: { by: 'anyone' },
  body: {
    schema: SignUpRequest,
    example: { business_name: 'Acme Ltd', email: 'ada@acme.example.com' },
  },
  reply: codeSent('A code is on its way.'),
  errors: ['rate_limited', 'route_not_found'],
  handle: async (request, deps) => {
    if (deps.config.signUp === 'off') throw new ApiError('route_not_found')
    const { email, business_name } = bodyOf<typeof SignUpRequest>(request)
    const wanted = { purpose: 'sign_up', email: email.toLowerCase(), message: signUpMessage } as const
    return emailCode(request, deps, {
      ...wanted,
      perHour: signUpCodesPerEmailAndHour,
      said: { businessName: business_name.trim() },
    })
  },
}

interface CodeToMail extends Pick<NewCode, 'purpose' | 'perHour' | 'boundTo' | 'said'> {
  readonly purpose: 'sign_in' | 'sign_up'
  readonly email: string
  readonly message: (code: { address: string; code: string }) => OutgoingMail
}

/** For any email the same work, to the letter: whether somebody has it is looked up by who sends the mail, later. */
async function emailCode(
  request: ApiRequest,
  deps: ApiDeps,
  { email, message, ...wanted }: CodeToMail,
): Promise<Reply> {
  await countCodeRequest(request, deps)
  const { db, keyring, clock, mails } = deps
  const at = clock.now()
  const issued = await db.transaction(async (tx) => {
    const result = await issueCode(tx, keyring, { ...wanted, subject: email, at })
    if (result.outcome === 'issued') {
      const mail = message({ address: email, code: result.code })
      await enqueueMail(tx, keyring, { kind: wanted.purpose, mail, at, expiresAt: result.expiresAt })
    }
    return result
  })
  if (issued.outcome === 'too_many') {
    const seconds = Math.ceil((issued.retryAt.getTime() - at.getTime()) / 1000)
    throw new ApiError('rate_limited', { headers: { 'Retry-After': String(Math.max(1, seconds)) } })
  }
  mails.wake()
  return { status: 202, body: { object: 'code_request', sent_to: email, expires_in: codeLastsMs / 1000 } }
}
