// Recomputes an invoice from the public API alone, by the rule in docs/guide.md. Shares no code with the service.

export interface Recomputed {
  /** The kind and amount of each line, sorted by kind. */
  readonly lines: readonly (readonly [kind: string, amountGbp: string])[]
  readonly total_gbp: string
  readonly credit_carried_forward_gbp: string
}

export interface InvoiceJson {
  readonly id: string
  readonly number: string
  readonly total_gbp: string
  readonly credit_carried_in_gbp: string
  readonly credit_carried_forward_gbp: string
  readonly lines: readonly { readonly kind: string; readonly amount_gbp: string }[]
}

export interface ChargeJson {
  readonly id: string
  readonly kind: string
  readonly line_kind: string
  readonly amount_gbp: string
  readonly cause: string
  readonly payout_id: string | null
}

interface ListJson {
  readonly data: readonly ChargeJson[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}

export async function invoiceOf(get: (path: string) => Promise<unknown>, id: string): Promise<InvoiceJson> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The test client checks it against the schema.
  return (await get(`/v1/invoices/${id}`)) as InvoiceJson
}

/** Returns all charges, from every page of the list. */
export async function chargesOf(
  get: (path: string) => Promise<unknown>,
  invoiceId: string,
  limit = 200,
): Promise<ChargeJson[]> {
  const charges: ChargeJson[] = []
  for (let cursor = ''; ; ) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- The test client checks it against the schema.
    const page = (await get(`/v1/invoices/${invoiceId}/charges?limit=${limit}${cursor}`)) as ListJson
    charges.push(...page.data)
    if (!page.has_more) return charges
    cursor = `&starting_after=${page.next_cursor}`
  }
}

export function recompute(
  invoice: Pick<InvoiceJson, 'credit_carried_in_gbp'>,
  charges: readonly ChargeJson[],
): Recomputed {
  const sums = new Map<string, bigint>()
  for (const { line_kind: kind, amount_gbp: amount } of charges) {
    sums.set(kind, (sums.get(kind) ?? 0n) + millionths(amount))
  }
  const lines = [...sums].map(([kind, sum]) => [kind, (sum + 5_000n) / 10_000n] as const)
  const carriedIn = millionths(invoice.credit_carried_in_gbp) / 10_000n
  const all = carriedIn > 0n ? [...lines, ['credit', carriedIn] as const] : lines
  const due = all.reduce((total, [kind, pence]) => (kind === 'credit' ? total - pence : total + pence), 0n)
  return {
    lines: sorted(all.map(([kind, pence]) => [kind, pounds(pence)])),
    total_gbp: pounds(due > 0n ? due : 0n),
    credit_carried_forward_gbp: pounds(due < 0n ? -due : 0n),
  }
}

/** The invoice's own lines, in the same format. */
export function asIssued({ lines, total_gbp, credit_carried_forward_gbp }: InvoiceJson): Recomputed {
  return {
    lines: sorted(lines.map(({ kind, amount_gbp }) => [kind, amount_gbp])),
    total_gbp,
    credit_carried_forward_gbp,
  }
}

function sorted(lines: readonly (readonly [string, string])[]): Recomputed['lines'] {
  return lines.toSorted((one, other) => one.join(' ').localeCompare(other.join(' ')))
}

function millionths(gbp: string): bigint {
  const [whole = '', decimals = ''] = gbp.split('.')
  return BigInt(whole + decimals.padEnd(6, '0'))
}

function pounds(pence: bigint): string {
  const digits = pence.toString().padStart(3, '0')
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}
