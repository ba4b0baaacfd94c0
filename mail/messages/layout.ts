// The layout of all emails, as HTML and as plain text. The HTML is a table, readable in dark mode, with every value
// escaped.

export interface Layout {
  /** The preview text that a mail client shows in its list. */
  readonly preview: string
  readonly heading: string
  /** A code to type, shown large below the heading. */
  readonly code?: string
  readonly paragraphs: readonly string[]
  /** Pairs of label and value. A value can have several lines. */
  readonly facts?: readonly (readonly [string, string])[]
  /** The items that the email lists, such as payouts. */
  readonly items?: readonly Item[]
  /** The first link is a button. The others are links below it. */
  readonly actions?: readonly Link[]
  /** The sender and the reason for the email. */
  readonly foot: string
  readonly footLink?: Link
}

interface Item {
  readonly title: string
  readonly url?: string
  readonly lines: readonly string[]
}

export interface Link {
  readonly label: string
  readonly url: string
}

const brand = 'Payouts'

export function htmlOf(layout: Layout): string {
  const { preview, heading, code, paragraphs, facts = [], items = [], actions = [], foot, footLink } = layout
  const [main, ...others] = actions
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(heading)}</title>
<style>
@media (prefers-color-scheme: dark) {
  .ground { background: #0e1012 !important; }
  .card { background: #16191c !important; border-color: #2b3036 !important; }
  .ink { color: #ecedef !important; }
  .soft { color: #a6abb3 !important; }
  .line { border-color: #2b3036 !important; }
  .accent { color: #2dd4bf !important; }
  .code { background: #1d2125 !important; }
  .button { background: #2dd4bf !important; color: #04211d !important; }
}
</style>
</head>
<body class="ground" style="margin:0;padding:0;background:#f7f7f5;">
<div style="display:none;max-height:0;overflow:hidden;">${escapeHtml(preview)}</div>
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" style="background:#f7f7f5;">
<tr><td align="center" style="padding:32px 16px;">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border:1px solid #e3e3de;border-radius:12px;">
<tr><td style="padding:28px 32px 32px;${font}">
<p class="accent" style="margin:0 0 20px;font-size:15px;font-weight:700;color:#0f766e;">${brand}</p>
<h1 class="ink" style="margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:600;color:#1a1b1e;">${escapeHtml(heading)}</h1>
${[
  ...(code === undefined ? [] : [codeBox(code)]),
  ...paragraphs.map(paragraph),
  ...(facts.length === 0 ? [] : [factTable(facts)]),
  ...items.map(item),
  ...(main === undefined ? [] : [button(main)]),
  ...others.map((each) => `<p style="margin:12px 0 0;font-size:15px;">${link(each)}</p>`),
].join('\n')}
</td></tr>
</table>
<p class="soft" style="max-width:560px;margin:20px auto 0;font-size:13px;line-height:1.5;color:#5a5c63;text-align:left;${font}">${escapeHtml(foot)}${footLink ? ` ${link(footLink)}` : ''}</p>
</td></tr>
</table>
</body>
</html>
`
}

export function textOf(layout: Layout): string {
  const { heading, code, paragraphs, facts = [], items = [], actions = [], foot, footLink } = layout
  const width = Math.max(0, ...facts.map(([name]) => name.length)) + 2
  const rows = facts.map(([name, value]) => `${name}:`.padEnd(width) + value.replaceAll('\n', `\n${' '.repeat(width)}`))
  const parts = [
    heading,
    ...(code === undefined ? [] : [code]),
    ...paragraphs,
    ...(rows.length === 0 ? [] : [rows.join('\n')]),
    ...items.map(({ title, url, lines }) => [title, ...lines, ...(url === undefined ? [] : [url])].join('\n')),
    ...actions.map(inText),
    `-- \n${foot}${footLink ? `\n${inText(footLink)}` : ''}`,
  ]
  return `${parts.join('\n\n')}\n`
}

function inText({ label, url }: Link): string {
  return `${label}:\n${url}`
}

const font = 'font-family:-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica,Arial,sans-serif;'

function codeBox(code: string): string {
  return `<p class="ink code" style="margin:0 0 16px;padding:14px 16px;border-radius:8px;background:#f1f1ee;font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:32px;line-height:1.2;font-weight:600;letter-spacing:6px;text-align:center;color:#1a1b1e;">${escapeHtml(code)}</p>`
}

function paragraph(text: string): string {
  return `<p class="ink" style="margin:0 0 12px;font-size:15px;line-height:1.55;color:#1a1b1e;">${escapeHtml(text)}</p>`
}

function factTable(facts: readonly (readonly [string, string])[]): string {
  return `<table width="100%" cellpadding="0" cellspacing="0" style="margin:8px 0 0;">
${facts.map(fact).join('\n')}
</table>`
}

function fact([name, value]: readonly [string, string]): string {
  const cell = 'padding:9px 0;border-top:1px solid #e3e3de;font-size:14px;line-height:1.4;vertical-align:top;'
  return `<tr><th scope="row" align="left" class="soft line" style="${cell}padding-right:16px;font-weight:400;color:#5a5c63;white-space:nowrap;">${escapeHtml(name)}</th><td align="right" class="ink line" style="${cell}color:#1a1b1e;">${escapeHtml(value).replaceAll('\n', '<br>')}</td></tr>`
}

function item({ title, url, lines }: Item): string {
  const head = url === undefined ? escapeHtml(title) : link({ label: title, url })
  const rest = lines.map((text) => `<br><span class="soft" style="color:#5a5c63;">${escapeHtml(text)}</span>`)
  return `<p class="ink line" style="margin:12px 0 0;padding:12px 0 0;border-top:1px solid #e3e3de;font-size:15px;line-height:1.5;color:#1a1b1e;">${head}${rest.join('')}</p>`
}

function button({ label, url }: Link): string {
  return `<p style="margin:24px 0 0;"><a class="button" href="${escapeHtml(url)}" style="display:inline-block;padding:11px 20px;border-radius:8px;background:#0f766e;color:#ffffff;font-size:15px;font-weight:600;text-decoration:none;">${escapeHtml(label)}</a></p>`
}

function link({ label, url }: Link): string {
  return `<a class="accent" href="${escapeHtml(url)}" style="color:#0f766e;text-decoration:underline;">${escapeHtml(label)}</a>`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
