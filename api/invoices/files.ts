// GET /v1/invoices/{id}.pdf and .csv: an invoice as a document, which changes only with the invoice's status.
import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { findInvoiceDocument } from '../../db/invoices/invoices'
import { seesLive } from '../../db/sign-in/callers'
import type { InvoiceDocument } from '../../domain/invoices/document'
import { invoiceCsv } from '../../mail/documents/invoice-csv'
import { invoicePdf } from '../../mail/documents/invoice-pdf'
import { ApiError } from '../http/errors'
import { IfNoneMatchHeader, matchesEtag } from '../http/prepared-text'
import { paramsOf } from '../http/requests/read-request'
import { get, type Handler, type Route } from '../http/route'
import { IdParams } from '../http/schema'
import { checks } from '../http/steps'

export const getInvoicePdfRoute = fileRoute({
  extension: 'pdf',
  operationId: 'getInvoicePdf',
  summary: 'Download an invoice as PDF',
  description: 'The invoice for your accounts, with all lines, VAT and payment details.',
  type: 'application/pdf',
  render: invoicePdf,
})

export const getInvoiceCsvRoute = fileRoute({
  extension: 'csv',
  operationId: 'getInvoiceCsv',
  summary: 'Download an invoice as CSV',
  description: 'The lines of the invoice for a spreadsheet, in UTF-8.',
  type: 'text/csv; charset=utf-8',
  render: async (document) => Buffer.from(invoiceCsv(document), 'utf8'),
})

interface File {
  readonly extension: 'pdf' | 'csv'
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly type: string
  readonly render: (document: InvoiceDocument) => Promise<Buffer>
}

function fileRoute(file: File): Route {
  return get(`/v1/invoices/:id.${file.extension}`, file.operationId, {
    steps: [...checks('invoice.download', { by: 'key', partner: 'any' }, { params: IdParams }), download(file)],
    summary: file.summary,
    description: file.description,
    headers: IfNoneMatchHeader,
    reply: {
      status: 200,
      description: 'The document.',
      type: file.type.replace(/;.*$/, ''),
      schema: Type.Unsafe<Buffer>({}),
      headers: {
        ETag: 'Identifies this version of the document.',
        'Content-Disposition': 'The file name, which is the number of the invoice.',
      },
    },
    errors: ['not_found'],
  })
}

/** About 50 KB per document. */
const rendered = createRenderCache(200)

/** The only parts of an issued invoice that can change. */
function stateOf({ status, paidOn, voidedOn }: InvoiceDocument): string {
  return `${status} ${paidOn} ${voidedOn}`
}

function download({ extension, type, render }: File): Handler {
  return async (request, { db }) => {
    const { id } = paramsOf<typeof IdParams>(request)
    const { caller } = request
    const document = seesLive(caller) ? await findInvoiceDocument(db, caller.partner.id, id) : null
    if (document === null) throw new ApiError('not_found')
    const bytes = await rendered(`${extension} ${id} ${stateOf(document)}`, () => render(document))
    const etag = `"${createHash('sha256').update(bytes).digest('base64url')}"`
    const headers = { ETag: etag, 'Content-Disposition': `attachment; filename="${document.number}.${extension}"` }
    if (matchesEtag(etag, request.header('If-None-Match'))) return { status: 304, body: null, headers }
    return { body: bytes, type, headers }
  }
}

/**
 * Caches the `limit` most recently used documents, because rendering a PDF blocks the process for about 30 ms.
 * Concurrent requests for the same document share one rendering.
 */
export function createRenderCache(limit: number): (name: string, render: () => Promise<Buffer>) => Promise<Buffer> {
  const kept = new Map<string, Promise<Buffer>>()
  return (name, render) => {
    const bytes = kept.get(name) ?? render()
    kept.delete(name)
    kept.set(name, bytes)
    bytes.catch(() => kept.delete(name))
    for (const oldest of kept.keys()) {
      if (kept.size <= limit) break
      kept.delete(oldest)
    }
    return bytes
  }
}
