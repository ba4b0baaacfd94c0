// Error responses of the protocol, with their status and body.

/** An error response, thrown where the error is detected. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(typeof body.message === 'string' ? body.message : 'refused')
    this.name = 'Refusal'
  }
}

type Location = 'body' | 'query' | 'path'

export function refusal(status: number, code: string, message: string, key?: string): Refusal {
  return new Refusal(
    status,
    key === undefined ? { code, message } : { code, message, source: { location: 'body', key } },
  )
}

export function invalid(key: string, message: string, location: Location = 'body'): Refusal {
  return new Refusal(400, { code: 'invalid_parameters', message, source: { location, key } })
}

/** The URL refers to an object that does not exist. */
export function notFound(what: string): Refusal {
  return refusal(404, 'not_found', `No such ${what}.`)
}

/** The body refers to an object that does not exist. Unlike an unknown object in the URL, this is a 400. */
export function notFoundInBody(key: string, what: string): Refusal {
  return refusal(400, 'not_found', `No such ${what}.`, key)
}

/** Errors in a header have their own format. */
export function headerRefusal(status: number, code: 'required' | 'invalid', name: string, message: string): Refusal {
  return new Refusal(status, { code, location: 'header', name, message })
}

/** The real bank does not document this error's code, and its message may change. */
export function insufficientFunds(): Refusal {
  return refusal(400, 'bad_request', 'The wallet does not have enough funds for this transfer.')
}
