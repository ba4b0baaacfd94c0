// The answer to a request to pay: a payout, or a refusal that releases the key.

const refusals = ['insufficient_funds', 'invalid_amount', 'recipient_account_rejected', 'payout_not_created'] as const
export type Refusal = (typeof refusals)[number]

/** `accepted`, `rejected` and `unknown` come from the bank. A payout with one of these is kept. */
const keptVerdicts = ['accepted', 'rejected', 'unknown', 'cancelled', 'late_refusal'] as const
export type KeptVerdict = (typeof keptVerdicts)[number]

/** Amounts and codes only, because it is stored in the workflow's history. */
export type Verdict =
  | { readonly outcome: 'kept' }
  | { readonly outcome: 'refused'; readonly code: Refusal; readonly details: Readonly<Record<string, string>> | null }

export const kept: Verdict = { outcome: 'kept' }

export function refused(code: Refusal, details: Readonly<Record<string, string>> | null = null): Verdict {
  return { outcome: 'refused', code, details }
}

export function isRefusal(word: string): word is Refusal {
  return refusals.some((refusal) => refusal === word)
}
