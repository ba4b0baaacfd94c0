// The web page of the inbox: the mails on the left, newest first, and the chosen one on the right.

import type { Message } from './message'

interface PageContent {
  readonly messages: readonly Message[]
  readonly chosen: Message | null
  readonly version: string
}

export function inboxPage({ messages, chosen, version }: PageContent): string {
  const title = chosen ? subjectOf(chosen) : messages.length === 0 ? 'No mail yet' : `${messages.length} mails`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Mail inbox</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/inbox.css">
<script src="/inbox.js" defer></script>
</head>
<body data-version="${version}">
<header class="top">
  <a href="/">Mail inbox</a>
  <p>Receives all mail from this system. Nothing is forwarded.</p>
  <button type="button" id="empty"${{ html: messages.length === 0 ? ' disabled' : '' }}>Empty the inbox</button>
</header>
<div class="panes">
  <nav aria-label="Mails">${messages.length === 0 ? nothingYet : messages.map((message) => row(message, chosen))}</nav>
  <main>${chosen ? opened(chosen) : html`<p class="hint">${messages.length === 0 ? '' : 'Choose a mail.'}</p>`}</main>
</div>
</body>
</html>
`.html
}

const nothingYet = html`<p class="hint">No mail yet. This page updates automatically.</p>`

function row(message: Message, chosen: Message | null): Html {
  const current = { html: message.id === chosen?.id ? ' aria-current="page"' : '' }
  return html`<a class="row" href="/messages/${message.id}"${current}>
    <span class="who">${message.envelope.to.join(', ')}</span>
    <span class="when">${message.attachments.length === 0 ? '' : clip}${time(message)}</span>
    <span class="subject">${subjectOf(message)}</span>
  </a>`
}

const clip = html`<span class="clip" role="img" aria-label="with attachments">📎</span> `

function opened(message: Message): Html {
  const { id, from, to, envelope, messageId, attachments, text } = message
  const hidden = envelope.to.filter((address) => !to.some((words) => words.includes(address)))
  return html`<article>
  <h1>${subjectOf(message)}</h1>
  <dl>
    <dt>From</dt><dd>${from}</dd>
    <dt>To</dt><dd>${to.join(', ') || '(no recipient)'}</dd>
    ${hidden.length === 0 ? '' : html`<dt>Also delivered to</dt><dd>${hidden.join(', ')}</dd>`}
    <dt>Received</dt><dd>${time(message)}</dd>
    <dt>Message-ID</dt><dd class="code">${messageId ?? '(none)'}</dd>
  </dl>
  <ul class="files">${attachments.map((file, index) => attachmentItem(message, file, index))}
    <li><a href="/messages/${id}/raw" download>Original mail</a> <span>${size(message.raw.length)}</span></li>
  </ul>
  ${message.html === null ? '' : frame(message)}
  ${text === null ? '' : html`<details${{ html: message.html === null ? ' open' : '' }}><summary>Plain text</summary><pre>${text}</pre></details>`}
</article>`
}

/** The frame allows no scripts or forms and has its own origin. Its links open in a new tab. */
function frame({ id }: Message): Html {
  return html`<iframe title="The mail" src="/messages/${id}/html" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`
}

function attachmentItem({ id }: Message, { name, content }: Message['attachments'][number], index: number): Html {
  return html`<li><a href="/messages/${id}/attachments/${index}" download="${name}">${name}</a> <span>${size(content.length)}</span></li>`
}

function subjectOf({ subject }: Message): string {
  return subject.trim() || '(no subject)'
}

/** In UTC. The script converts it to the reader's time zone. */
function time({ receivedAt }: Message): Html {
  return html`<time datetime="${receivedAt}">${receivedAt.slice(0, 16).replace('T', ' ')} UTC</time>`
}

function size(bytes: number): string {
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} kB`
}

interface Html {
  readonly html: string
}

type Value = string | number | Html | readonly Html[]

/** Builds HTML and escapes every value that is not HTML already, so that a mail cannot inject markup. */
function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
  return {
    html: strings.map((text, index) => text + (index < values.length ? written(values[index] ?? '') : '')).join(''),
  }
}

function written(value: Value): string {
  if (typeof value === 'string' || typeof value === 'number') return escapeHtml(String(value))
  return 'html' in value ? value.html : value.map((each) => each.html).join('')
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
