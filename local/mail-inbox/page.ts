// The web page of the inbox: the emails on the left, newest first, and the selected one on the right.

import type { Message } from './message'

interface PageContent {
  readonly messages: readonly Message[]
  readonly chosen: Message | null
  readonly version: string
}

export function inboxPage({ messages, chosen, version }: PageContent): string {
  const title = chosen ? subjectOf(chosen) : messages.length === 0 ? 'No email yet' : `${messages.length} emails`
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
  <nav aria-label="Emails">${messages.length === 0 ? nothingYet : messages.map((message) => row(message, chosen))}</nav>
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

/** The time is in UTC. The script converts it to the reader's time zone. */
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

/** Builds HTML and escapes every value that is not HTML already, so that an email cannot inject markup. */
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

/** Style and script are served as files, so that the page's CSP needs no inline exception. */
export const style = `:root {
  color-scheme: light dark;
  --ink: light-dark(#1a1f2b, #e7e9ee); --soft: light-dark(#5b6474, #9aa3b2); --line: light-dark(#e2e5ea, #2c323d);
  --paper: light-dark(#fff, #171b22); --ground: light-dark(#f5f6f8, #10131a); --accent: light-dark(#1f4fd8, #8fb0ff);
  --chosen: light-dark(#eaf0ff, #1d2942);
}
* { box-sizing: border-box; }
body { margin: 0; font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--ground); height: 100vh; display: flex;
  flex-direction: column; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid #f5a623; outline-offset: -3px; }
.top { display: flex; align-items: center; gap: 1rem; padding: .75rem 1.25rem; border-bottom: 1px solid var(--line); background: var(--paper); }
.top > a { font-weight: 650; color: inherit; text-decoration: none; }
.top p { margin: 0; color: var(--soft); flex: 1; }
button { font: inherit; padding: .3rem .8rem; border: 1px solid var(--line); border-radius: .4rem; background: none; color: inherit; cursor: pointer; }
button:disabled { opacity: .45; cursor: default; }
.panes { flex: 1; min-height: 0; display: grid; grid-template-columns: 22rem 1fr; }
nav { overflow-y: auto; border-right: 1px solid var(--line); background: var(--paper); }
.row { display: grid; grid-template-columns: 1fr auto; gap: .1rem .75rem; padding: .7rem 1.25rem; border-bottom: 1px solid var(--line);
  color: inherit; text-decoration: none; }
.row:hover, .row[aria-current] { background: var(--chosen); }
.row span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.row .who { color: var(--soft); }
.row time { color: var(--soft); font-size: 13px; font-variant-numeric: tabular-nums; }
.row .subject { font-weight: 550; grid-column: 1 / -1; }
main { overflow-y: auto; padding: 1.5rem 2rem; min-width: 0; }
article { max-width: 60rem; }
h1 { font-size: 1.4rem; line-height: 1.3; margin: 0 0 1rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: auto 1fr; gap: .2rem 1.25rem; margin: 0 0 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.code { font: 13px/1.6 ui-monospace, monospace; }
.files { display: flex; flex-wrap: wrap; gap: .5rem; list-style: none; margin: 0 0 1rem; padding: 0; }
.files li { border: 1px solid var(--line); border-radius: .4rem; padding: .25rem .7rem; background: var(--paper); overflow-wrap: anywhere; }
.files span { color: var(--soft); }
iframe { display: block; width: 100%; height: 46rem; border: 1px solid var(--line); border-radius: .4rem; background: #fff; margin-bottom: 1rem; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 14px/1.55 ui-monospace, monospace; background: var(--paper); padding: 1rem;
  border: 1px solid var(--line); border-radius: .4rem; }
summary { cursor: pointer; }
.hint { color: var(--soft); padding: 1rem 1.25rem; margin: 0; }
@media (max-width: 50rem) {
  body { height: auto; } .panes { grid-template-columns: 1fr; } .top { flex-wrap: wrap; } .top p { order: 3; flex-basis: 100%; }
  nav { max-height: 14rem; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem 1.25rem; }
}
`

/** Checks for new emails every two seconds. Does not reload an open email. */
export const script = `const nav = document.querySelector('nav')
const empty = document.querySelector('#empty')
empty.addEventListener('click', async () => {
  await fetch('/messages.json', { method: 'DELETE' })
  location.href = '/'
})
setInterval(() => document.hidden || refresh().catch(() => {}), 2000)
showOwnTimes()

async function refresh() {
  const { version } = await (await fetch('/version.json')).json()
  if (version === document.body.dataset.version) return
  if (location.pathname === '/') return location.reload()
  const answer = await fetch(location.href)
  if (!answer.ok) return (location.href = '/')
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
  nav.replaceChildren(...fresh.querySelector('nav').childNodes)
  document.body.dataset.version = fresh.body.dataset.version
  showOwnTimes()
}

function showOwnTimes() {
  for (const time of document.querySelectorAll('time')) {
    const brief = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }
    time.textContent = new Date(time.dateTime).toLocaleString([], time.closest('.row') ? brief : {})
  }
}
`
