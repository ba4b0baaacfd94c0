// HTTP server of the inbox: a web page, JSON for tests and scripts, and DELETE to empty the inbox.

import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { Mailbox } from './mailbox'
import type { Attachment, Message } from './message'
import { inboxPage, script, style } from './page'

interface Answer {
  readonly status?: number
  readonly type: string
  readonly body: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

export function createInboxServer(mailbox: Mailbox): Server {
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    const { status = 200, type, body, headers } = answer(mailbox, request)
    response.writeHead(status, { ...always, 'Content-Type': type, ...headers })
    response.end(request.method === 'HEAD' ? undefined : body)
  })
  return server
}

/** The page may load its own files and frames only. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; frame-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * An email is untrusted. It gets its own origin and no scripts, forms or network requests, because loading an image
 * would notify its sender.
 */
const mailPolicy =
  "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"

const always = {
  'Content-Security-Policy': pagePolicy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-store',
}

function answer(mailbox: Mailbox, request: IncomingMessage): Answer {
  // Prevents DNS rebinding, with which a foreign web page could read sign-in codes.
  if (!ownName.test(request.headers.host ?? '')) return plainText(403, 'Open this inbox as localhost or 127.0.0.1.')
  const path = (request.url ?? '/').split('?')[0] ?? '/'
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (method === 'DELETE' && path === '/messages.json') {
    mailbox.empty()
    return json({ object: 'list', data: [] })
  }
  if (method !== 'GET') return plainText(405, 'Only GET and DELETE /messages.json are allowed.')
  return fixed(mailbox, path) ?? ofMessage(mailbox, path) ?? plainText(404, 'Message not found.')
}

const ownName = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i

function fixed(mailbox: Mailbox, path: string): Answer | null {
  if (path === '/') return page(mailbox, null)
  if (path === '/inbox.css') return { type: 'text/css; charset=utf-8', body: style }
  if (path === '/inbox.js') return { type: 'text/javascript; charset=utf-8', body: script }
  if (path === '/version.json') return json({ version: mailbox.version() })
  if (path === '/messages.json') return json({ object: 'list', data: mailbox.list().map(presentMessage) })
  return null
}

function ofMessage(mailbox: Mailbox, path: string): Answer | null {
  const [, id = '', part = '', index = ''] =
    /^\/messages\/([\w-]+)(?:\/(html|raw|attachments)(?:\/(\d{1,4}))?)?$/.exec(path) ?? []
  const message = mailbox.find(id)
  if (!message) return null
  if (part === '') return page(mailbox, message)
  if (part === 'raw') return download({ name: `${id}.eml`, type: 'message/rfc822', content: message.raw })
  if (part === 'html') return message.html === null ? null : mailHtml(message.html)
  const attachment = index === '' ? undefined : message.attachments[Number(index)]
  return attachment ? download(attachment) : null
}

function page(mailbox: Mailbox, chosen: Message | null): Answer {
  const body = inboxPage({ messages: mailbox.list(), chosen, version: mailbox.version() })
  return { type: 'text/html; charset=utf-8', body }
}

/** Links open in a new tab, so that they do not replace the email in its frame. */
function mailHtml(html: string): Answer {
  const headers = { 'Content-Security-Policy': mailPolicy }
  return { type: 'text/html; charset=utf-8', body: `<!doctype html><base target="_blank">${html}`, headers }
}

/** Always sends the attachment as a download, regardless of its declared type. */
function download({ name, type, content }: Attachment): Answer {
  const headers = {
    'Content-Disposition': `attachment; filename*=UTF-8''${encodeURIComponent(Buffer.from(name).toString()).replace(/[!'()*]/g, percent)}`,
    'Content-Security-Policy': mailPolicy,
  }
  return { type: knownTypes.includes(type) ? type : 'application/octet-stream', body: content, headers }
}

const knownTypes = ['application/pdf', 'text/csv', 'text/plain', 'message/rfc822']

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

function presentMessage({ id, receivedAt, envelope, subject, from, to, messageId, text, html, attachments }: Message) {
  return {
    object: 'message',
    id,
    received_at: receivedAt,
    envelope,
    message_id: messageId,
    from,
    to,
    subject,
    text,
    html,
    attachments: attachments.map(({ name, type, content }, index) => ({
      name,
      type,
      size_bytes: content.length,
      path: `/messages/${id}/attachments/${index}`,
    })),
  }
}

function json(body: object): Answer {
  return { type: 'application/json; charset=utf-8', body: JSON.stringify(body) }
}

function plainText(status: number, body: string): Answer {
  return { status, type: 'text/plain; charset=utf-8', body: `${body}\n` }
}
