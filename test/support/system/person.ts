// A dashboard user, who signs up and in with the codes from their inbox and calls the API as the pages do.

import type { Json } from '../bank/client'
import type { TestInbox } from '../mail/an-inbox'
import { until } from '../until'
import type { Answer, World } from './world'

export interface Person {
  readonly email: string
  ask(method: string, path: string, body?: Json, headers?: Record<string, string>): Promise<Answer>
  signUp(businessName: string): Promise<Answer>
  /** Signs in with an emailed code, which ends the previous session. */
  signIn(): Promise<Answer>
  /** Resolves with the match in an unread email to this person whose subject matches. */
  mailed(subject: RegExp): Promise<RegExpExecArray>
}

export function aPerson(world: World, inbox: TestInbox, email: string): Person {
  const read = new Set<string>()
  const cookies = new Map<string, string>()

  async function ask(method: string, path: string, body?: Json, more: Record<string, string> = {}): Promise<Answer> {
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const headers = { Origin: world.url, Cookie: cookie, 'Content-Type': 'application/json', ...more }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(world.url + path, { method, headers, ...sent })
    for (const set of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      cookies.set(name, value)
    }
    return { status: response.status, headers: response.headers, body: await response.json() }
  }

  async function openSession(code: string, purpose: 'sign_in' | 'sign_up'): Promise<Answer> {
    const answer = await ask('POST', '/v1/auth/sessions', { email, code, purpose })
    if (answer.status !== 201) throw new Error(`the sign-in failed: ${answer.status} ${answer.body.error.code}`)
    return answer
  }

  const person: Person = {
    email,
    ask,
    async signUp(business_name) {
      await ask('POST', '/v1/auth/signups', { business_name, email })
      const [, code = ''] = await person.mailed(/^(\d{6}) is your sign-(?:in|up) code$/)
      return openSession(code, 'sign_up')
    },
    async signIn() {
      await ask('POST', '/v1/auth/codes', { email })
      const [, code = ''] = await person.mailed(/^(\d{6}) is your sign-(?:in|up) code$/)
      return openSession(code, 'sign_in')
    },
    mailed: (subject) =>
      until(`a mail ${subject}`, async () => {
        for (const { id, envelope, subject: line } of await inbox.messages()) {
          const found = envelope.to.includes(email) && !read.has(id) && subject.exec(line)
          if (!found) continue
          read.add(id)
          return found
        }
        return null
      }),
  }
  return person
}
