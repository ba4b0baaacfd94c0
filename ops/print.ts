// Formats answers: one JSON value for scripts, aligned text for people.

export interface Output {
  write(text: string): unknown
}

/** Maximum number of rows in a list. */
export const shownAtOnce = 200

type Form = 'json' | 'text'

export function printAnswer(
  output: Output,
  form: Form,
  answer: { readonly json: unknown; readonly text: string },
): void {
  output.write(form === 'json' ? `${JSON.stringify(answer.json)}\n` : `${answer.text}\n`)
}

/** Scripts get the API's error body; people get its message. */
export function printError(output: Output, form: Form, error: PrintableError): void {
  const { code, message, details } = error
  output.write(
    form === 'json' ? `${JSON.stringify({ error: { code, message, details } })}\n` : `${printable(message)}\n`,
  )
}

export interface PrintableError {
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, string>>
}

/** One name and value per line; null shows as a dash. */
export function fields(values: Readonly<Record<string, string | null>>): string {
  return columns(Object.entries(values).map(([name, value]) => [name, value ?? '-']))
}

/** Rows under a header, in the given order. */
export function table(header: readonly string[], rows: readonly (readonly (string | null)[])[]): string {
  return columns([header, ...rows.map((row) => row.map((cell) => cell ?? '-'))])
}

export function columns(rows: readonly (readonly string[])[]): string {
  const clean = rows.map((row) => row.map(printable))
  const widths = (clean[0] ?? []).map((_, column) =>
    clean.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  )
  return clean
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

// Replaces control characters, because text from users could otherwise control the terminal.
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '?')
}
