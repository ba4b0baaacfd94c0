// Users who sign in: members, the codes in their inbox, and the sign-in requests.
import { randomBytes } from 'node:crypto'
import { insertMember, type MemberRow } from '../../../db/partners/members'
import type { PartnerRow } from '../../../db/partners/partners'
import type { MemberRole } from '../../../domain/partners/partner'
import { type TestInbox, useInbox } from '../mail/an-inbox'
import { until } from '../until'
import { type Answer, type Api, type ApiOptions, testOrigin, useApi } from './client'
import type { Stage } from './fixtures'

/** An API for this test file, and the inbox that gets its emails. */
export function useMailedApi(options: ApiOptions | (() => ApiOptions) = {}): {
  readonly api: Api
  readonly inbox: TestInbox
} {
  const inbox = useInbox()
  const api = useApi(() => ({ ...(typeof options === 'function' ? options() : options), smtpUrl: inbox.smtpUrl }))
  return { api, inbox }
}

/** The headers that a browser sends from our own pages. */
export const fromOurPages = { headers: { Origin: testOrigin } }

export const aBrowserCookie = `__Host-browser=${'b'.repeat(43)}`

/** The headers of the one browser in which these functions request and enter codes. */
export const inOneBrowser = { headers: { Origin: testOrigin, Cookie: aBrowserCookie } }

export async function aMember(
  { db, clock }: Stage,
  partner: Pick<PartnerRow, 'id'>,
  { role = 'admin', email = anEmail() }: { role?: MemberRole; email?: string } = {},
): Promise<MemberRow> {
  const member = await db.transaction((tx) =>
    insertMember(tx, { partnerId: partner.id, email, name: 'Grace', role, at: clock.now() }),
  )
  if (member === 'already_member') throw new Error('the email was taken')
  return member
}

export function anEmail(): string {
  return `grace-${randomBytes(6).toString('hex')}@people.test`
}

export function requestCode(api: Api, email: string): Promise<Answer> {
  return api.post('/v1/auth/codes', { email }, inOneBrowser)
}

export function signIn(api: Api, email: string, code: string, more: Record<string, string> = {}): Promise<Answer> {
  return api.post('/v1/auth/sessions', { email, code, ...more }, inOneBrowser)
}

/** Requests a code and reads it from the email's subject, as a user does. */
export async function aCode(api: Api, inbox: TestInbox, email: string): Promise<string> {
  const before = (await codesOf(inbox, email)).length
  const { status } = await requestCode(api, email)
  if (status !== 202) throw new Error(`no code was sent: ${status}`)
  return until('the code has arrived', async () => {
    const codes = await codesOf(inbox, email)
    return codes.length > before ? codes[0] : null
  })
}

/** Returns the codes that were sent to this email address, newest first. */
export async function codesOf(inbox: TestInbox, email: string): Promise<string[]> {
  const mails = (await inbox.messages()).filter(({ envelope }) => envelope.to.includes(email))
  return mails.flatMap(({ subject }) => /^(\d{6}) is your sign-(?:in|up) code$/.exec(subject)?.[1] ?? [])
}

/** Returns the session token in the response's cookie. */
export function tokenOf({ headers }: Answer): string {
  const [, token = ''] = /^__Host-session=([^;]*)/.exec(headers.get('Set-Cookie') ?? '') ?? []
  return token
}

export function wrongCode(code: string): string {
  return String((Number(code) + 1) % 1_000_000).padStart(6, '0')
}
