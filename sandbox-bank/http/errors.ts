// The refusals of the wire protocol: which status and which body each of them has.

/** An answer that is not a success; thrown by whoever finds the reason. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(typeof body.message === 'string' ? body.message : 'refused')
    this.name = 'Refusal'
  }
}

export type Location = 'body' | 'query' | 'path'

export function refusal(status: number, code: string, message: string, key?: string): Refusal {
  return new Refusal(
    status,
    key === undefined ? { code, message } : { code, message, source: { location: 'body', key } },
  )
}

export function invalid(key: string, message: string, location: Location = 'body'): Refusal {
  return new Refusal(400, { code: 'invalid_parameters', message, source: { location, key } })
}

/** An address names something that is not there. */
export function notFound(what: string): Refusal {
  return refusal(404, 'not_found', `No such ${what}.`)
}

/** A body names something that is not there: on transfers this is a 400. */
export function unknownIn(key: string, what: string): Refusal {
  return refusal(400, 'not_found', `No such ${what}.`, key)
}

/** Trouble with a header has a shape of its own. */
export function headerRefusal(status: number, code: 'required' | 'invalid', name: string, message: string): Refusal {
  return new Refusal(status, { code, location: 'header', name, message })
}

/** The code of this refusal is not published; the real bank's words are not to be relied on either. */
export function insufficientFunds(): Refusal {
  return refusal(400, 'bad_request', 'The wallet does not have enough funds for this transfer.')
}
