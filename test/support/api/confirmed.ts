// Sends a signed-in member's request together with its emailed confirmation code.
import { openText, type Sealed } from '../../../db/seal'
import type { TestInbox } from '../mail/an-inbox'
import { until } from '../until'
import { type Answer, type Api, type CallOptions, type Method, testKeyring } from './client'

export interface ConfirmMail {
  readonly id: string
  readonly address: string
  readonly code: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Requests the code, reads it from the email, and sends the request with it. */
export async function sendConfirmed(
  api: Api,
  method: Method,
  path: string,
  body: object,
  options: CallOptions,
  inbox?: TestInbox,
): Promise<Answer> {
  const confirm_code = await aConfirmCode(api, path, body, options, inbox)
  return api.send(method, path, { ...body, confirm_code }, options)
}

export async function aConfirmCode(
  api: Api,
  path: string,
  body: object,
  options: CallOptions,
  inbox?: TestInbox,
): Promise<string> {
  const [bare, query] = path.split('?')
  const before = new Set((await confirmMails(api, inbox)).map(({ id }) => id))
  const asked = await api.post(`${bare}/confirm-codes${query ? `?${query}` : ''}`, body, options)
  if (asked.status !== 202) throw new Error(`no code was mailed: ${asked.status} ${asked.body.error?.code}`)
  return until('the code was emailed', async () => {
    const mails = await confirmMails(api, inbox)
    return mails.find(({ id, address }) => !before.has(id) && address === asked.body['sent_to'])?.code
  })
}

/** Returns the emails, oldest first. Reads the inbox if the API sends emails, and the queue otherwise. */
export async function confirmMails({ db }: Pick<Api, 'db'>, inbox?: TestInbox): Promise<ConfirmMail[]> {
  if (inbox) {
    const messages = (await inbox.messages())
      .filter(({ subject }) => / is your code to confirm /.test(subject))
      .toReversed()
    return messages.map(({ id, envelope, subject, text, html }) => {
      return {
        id,
        address: envelope.to[0] ?? '',
        code: subject.slice(0, 6),
        subject,
        text: text ?? '',
        html: html ?? '',
      }
    })
  }
  const rows: ({ id: string } & Sealed)[] = await db.dataSource.query(
    `SELECT id, sealed, key_id AS "keyId" FROM mails WHERE kind = 'confirm' AND sealed IS NOT NULL ORDER BY created_at, id`,
  )
  return rows.map(({ id, ...sealed }) => {
    const { to, subject, text, html } = JSON.parse(openText(testKeyring, 'mail', id, sealed))
    return { id, address: to.address, code: subject.slice(0, 6), subject, text, html }
  })
}
