// Confirm codes: a signed-in person gets a code by email for one action, and the action consumes it. A stolen session
// alone cannot get a code.
import { type TSchema, Type } from 'typebox'
import type { Tx } from '../../db/database'
import type { Keyring } from '../../db/keyring'
import { enqueueMail } from '../../db/partners/mails'
import { findPartnerById } from '../../db/partners/partners'
import { codeBinding, issueCode, tryCode, type UsedCode } from '../../db/sign-in/codes'
import { assert } from '../../domain/assert'
import type { Environment } from '../../domain/environment'
import { codeLastsMs, codePattern, confirmCodesPerMemberAndHour } from '../../domain/sign-in'
import { type Confirmed, confirmMessage } from '../../mail/messages/confirm'
import { recordChange } from '../controls/record-change'
import type { ApiDeps } from '../deps'
import { ApiError, type ErrorCode } from '../http/errors'
import { type ApiRequest, type Handler, personOf, post, type Route, type RouteDocs } from '../http/route'
import { Component, Constant, Email, Pattern } from '../http/schema'
import { checks } from '../http/steps'

/** The action and all fields to which a code is bound. Any change to a field needs another code. */
export interface BoundAction {
  /** The name in the activity list. */
  readonly action: string
  readonly fields: Readonly<Record<string, string | null>>
}

/** A request that an emailed code confirms. */
export interface Confirmable {
  readonly bound: BoundAction
  /** The same fields, for the text of the email. */
  readonly mail: Confirmed
  readonly activity: { readonly environment?: Environment; readonly detail: string }
}

const ConfirmCodeRequest = Component('ConfirmCodeRequest', {
  object: Constant('code_request'),
  sent_to: Email(),
  expires_in: Type.Integer({ description: 'The number of seconds for which the code is valid.' }),
})

/** The body field for the code. */
export const ConfirmCode = (description: string) =>
  Type.Optional(Pattern(codePattern, { description, 'x-hint': '6 digits' }))

interface ConfirmCodeDocs {
  readonly body: TSchema
  readonly summary: string
  readonly bodyExample: unknown
  readonly errors?: readonly ErrorCode[]
}

/** The route that emails the code for requests to another route. */
export function confirmRoute(
  { path, operationId, params }: Route,
  action: string,
  confirm: (request: ApiRequest, deps: ApiDeps) => Promise<Confirmable>,
  { body, ...docs }: ConfirmCodeDocs,
): Route {
  return post(`${path}/confirm-codes`, `${operationId}ConfirmCode`, {
    errors: ['invalid_state'],
    ...confirmCodeDocs,
    ...docs,
    steps: [
      ...checks(action, { by: 'person', partner: 'active' }, { ...(params && { params }), body }),
      mailConfirmCode(action, confirm),
    ],
  })
}

/** The documentation shared by all routes that email a confirm code. */
export const confirmCodeDocs = {
  description:
    'Accepts the body of the request to confirm, with its Idempotency-Key if it has one. Emails a code to the signed-in ' +
    'person. Send the code as `confirm_code` with that request. A code works once, for 10 minutes, and only for exactly this ' +
    'request. A newer code replaces it.',
  reply: {
    status: 202,
    description: 'The code will be emailed.',
    schema: ConfirmCodeRequest,
    example: { object: 'code_request', sent_to: 'ada@acme.test', expires_in: codeLastsMs / 1_000 },
  },
} as const satisfies Partial<RouteDocs>

/**
 * Creates the handler that emails the code for another request. `read` returns the action and fields to which the code
 * is bound. It throws if that request needs no code or would be refused.
 */
export function mailConfirmCode<Found>(
  action: string,
  read: (request: ApiRequest<Found>, deps: ApiDeps) => Promise<Confirmable>,
): Handler<Found> {
  return async (request, deps) => {
    await mailCode(await read(request, deps), action, request, deps)
    const sent = { object: 'code_request', sent_to: personOf(request).email, expires_in: codeLastsMs / 1_000 }
    return { status: 202, body: sent, activity: 'written' }
  }
}

export function noCodeNeeded(message: string, details: object): ApiError {
  return new ApiError('invalid_state', { message, details })
}

/** The code, the email and the activity entry are written in one transaction, so that every code is emailed. */
async function mailCode(
  { bound, mail: confirmed, activity }: Confirmable,
  action: string,
  request: ApiRequest,
  deps: ApiDeps,
): Promise<void> {
  const { db, keyring, clock, mails } = deps
  const { partner, memberId, email } = personOf(request)
  const at = clock.now()
  const owner = await findPartnerById(db, partner.id)
  assert(owner !== null, 'a caller must have a partner')
  const issued = await db.transaction(async (tx) => {
    const boundTo = confirmCodeBinding(keyring, partner.id, bound)
    const asked = { purpose: 'confirm', subject: memberId, boundTo, perHour: confirmCodesPerMemberAndHour, at } as const
    const code = await issueCode(tx, keyring, asked)
    if (code.outcome === 'too_many') return code
    const mail = confirmMessage({ address: email, code: code.code, confirmed, partner: owner.name })
    await enqueueMail(tx, keyring, { kind: 'confirm', mail, at, expiresAt: code.expiresAt })
    await recordChange(tx, { partnerId: partner.id, by: email, action, status: 202, ...activity }, request, deps)
    return code
  })
  if (issued.outcome === 'too_many') throw tooMany(issued.retryAt, at)
  mails.wake()
}

function tooMany(retryAt: Date, now: Date): ApiError {
  const seconds = Math.max(1, Math.ceil((retryAt.getTime() - now.getTime()) / 1_000))
  return new ApiError('rate_limited', {
    message: 'Too many codes were requested.',
    headers: { 'Retry-After': String(seconds) },
  })
}

/** The code that a request needs. */
export interface Confirmation {
  readonly memberId: string
  readonly boundTo: Buffer
  /** Null when the request has none. */
  readonly code: string | null
}

/** Only for requests by people. */
export function confirmationOf(
  bound: BoundAction,
  code: string | null | undefined,
  request: ApiRequest,
  { keyring }: Pick<ApiDeps, 'keyring'>,
): Confirmation {
  const { memberId, partner } = personOf(request)
  return { memberId, boundTo: confirmCodeBinding(keyring, partner.id, bound), code: code ?? null }
}

export function confirmCodeBinding(keyring: Keyring, partnerId: string, { action, fields }: BoundAction): Buffer {
  return codeBinding(keyring, { ...fields, action, partner_id: partnerId })
}

/**
 * Null if the code is missing or wrong. A wrong code counts as an attempt, so the transaction must be committed in
 * that case too.
 */
export async function useConfirmCode(
  tx: Tx,
  { memberId: subject, boundTo, code }: Confirmation,
  { at, usedFor }: { readonly at: Date; readonly usedFor?: string },
  { keyring }: Pick<ApiDeps, 'keyring'>,
): Promise<UsedCode | null> {
  if (code === null) return null
  return tryCode(tx, keyring, { purpose: 'confirm', subject, boundTo, code, at, ...(usedFor ? { usedFor } : {}) })
}

interface Needed {
  /** Null when the change needs no code. */
  readonly needed: BoundAction | null
  readonly code: string | undefined
}

/**
 * Makes a change and consumes its code in one transaction. If the change is refused, `change` throws, and the
 * rollback keeps the code usable. Emails about the change are sent afterwards.
 */
export async function changeConfirmed<Changed>(
  { needed, code }: Needed,
  change: (tx: Tx) => Promise<Changed>,
  request: ApiRequest,
  deps: ApiDeps,
): Promise<Changed> {
  const confirmation = needed === null ? null : confirmationOf(needed, code, request, deps)
  const result = await deps.db.transaction(async (tx) => {
    const isRight = confirmation === null || (await useConfirmCode(tx, confirmation, { at: deps.clock.now() }, deps))
    return isRight ? { changed: await change(tx) } : null
  })
  if (result === null) throw new ApiError('invalid_confirm_code')
  deps.mails.wake()
  return result.changed
}
