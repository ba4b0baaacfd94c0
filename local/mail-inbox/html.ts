// HTML whose every value is escaped, unless it is such HTML itself: a mail can not get out of its place in a page.

export interface Html {
  readonly html: string
}

type Value = string | number | Html | readonly Html[]

export function html(strings: TemplateStringsArray, ...values: readonly Value[]): Html {
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
