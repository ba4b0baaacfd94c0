// Formats output: one JSON value for scripts, aligned text for people.

export interface Output {
  write(text: string): unknown
  readonly isTTY?: boolean
}

/** Maximum number of rows in a list. */
export const shownAtOnce = 200

export type Form = 'json' | 'text'

export function printAnswer(
  output: Output,
  form: Form,
  answer: { readonly json: unknown; readonly text: string },
): void {
  output.write(form === 'json' ? `${JSON.stringify(answer.json)}\n` : `${answer.text}\n`)
}

/** Scripts get the API's error body. People get its message and, for an error of the API, its code, details and request ID. */
export function printError(output: Output, form: Form, error: PrintableError): void {
  const { code, message, details, requestId: request_id } = error
  if (form === 'json') output.write(`${JSON.stringify({ error: { code, message, details, request_id } })}\n`)
  else output.write(`${[printable(message), ...factsOf(error)].join('\n')}\n`)
}

export interface PrintableError {
  readonly code: string
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
  /** Set if the API answered with this error. */
  readonly requestId?: string
}

function factsOf({ code, details = {}, requestId }: PrintableError): string[] {
  if (requestId === undefined) return []
  const facts = Object.entries(details).map(([name, value]) => [name, factOf(value)])
  return [columns([['code', code], ...facts, ['request_id', requestId]])]
}

function factOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(factOf).join(', ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Prints one name and value per line. Null appears as a dash. */
export function fields(values: Readonly<Record<string, string | null>>): string {
  return columns(Object.entries(values).map(([name, value]) => [name, value ?? '-']))
}

/** Prints rows under a header, in the given order. */
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
