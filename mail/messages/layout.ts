// The layout of all mails: a table, readable in dark mode, with every value escaped.

export interface Layout {
  /** The preview text in a list of mails. */
  readonly preview: string
  readonly heading: string
  readonly paragraphs: readonly string[]
  /** Label and value; a value can have several lines. */
  readonly facts: readonly (readonly [string, string])[]
  /** The sender and the reason. */
  readonly foot: string
}

export function htmlOf({ preview, heading, paragraphs, facts, foot }: Layout): string {
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
  .ground { background: #10131a !important; }
  .card { background: #171b22 !important; border-color: #2c323d !important; }
  .ink { color: #e7e9ee !important; }
  .soft { color: #9aa3b2 !important; }
  .fact { border-color: #2c323d !important; }
}
</style>
</head>
<body class="ground" style="margin:0;padding:0;background:#f5f6f8;">
<div style="display:none;max-height:0;overflow:hidden;">${escapeHtml(preview)}</div>
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" style="background:#f5f6f8;">
<tr><td align="center" style="padding:32px 16px;">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border:1px solid #e2e5ea;border-radius:8px;">
<tr><td style="padding:32px 32px 24px;${font}">
<h1 class="ink" style="margin:0 0 16px;font-size:22px;line-height:1.3;font-weight:600;color:#16202e;">${escapeHtml(heading)}</h1>
${paragraphs.map(paragraph).join('\n')}
<table width="100%" cellpadding="0" cellspacing="0" style="margin:8px 0 0;">
${facts.map(fact).join('\n')}
</table>
</td></tr>
</table>
<p class="soft" style="max-width:560px;margin:20px auto 0;font-size:13px;line-height:1.5;color:#5a6675;text-align:left;${font}">${escapeHtml(foot)}</p>
</td></tr>
</table>
</body>
</html>
`
}

/** The same content as plain text. */
export function textOf({ heading, paragraphs, facts, foot }: Layout): string {
  const width = Math.max(...facts.map(([name]) => name.length)) + 2
  const rows = facts.map(([name, value]) => `${name}:`.padEnd(width) + value.replaceAll('\n', `\n${' '.repeat(width)}`))
  return `${[heading, ...paragraphs, rows.join('\n'), `-- \n${foot}`].join('\n\n')}\n`
}

const font = 'font-family:-apple-system,BlinkMacSystemFont,Segoe UI,Roboto,Helvetica,Arial,sans-serif;'

function paragraph(text: string): string {
  return `<p class="ink" style="margin:0 0 12px;font-size:15px;line-height:1.55;color:#16202e;">${escapeHtml(text)}</p>`
}

function fact([name, value]: readonly [string, string]): string {
  const cell = 'padding:9px 0;border-top:1px solid #e2e5ea;font-size:14px;line-height:1.4;vertical-align:top;'
  return `<tr><th scope="row" align="left" class="soft fact" style="${cell}padding-right:16px;font-weight:400;color:#5a6675;white-space:nowrap;">${escapeHtml(name)}</th><td align="right" class="ink fact" style="${cell}color:#16202e;">${escapeHtml(value).replaceAll('\n', '<br>')}</td></tr>`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
