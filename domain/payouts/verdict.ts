// What became of a request to pay: a payout that is kept, or a refusal after which the key is free again (design §3).

export const refusals = [
  'insufficient_funds',
  'invalid_amount',
  'recipient_account_rejected',
  'payout_not_created',
] as const
export type Refusal = (typeof refusals)[number]

/** `accepted`, `rejected` and `unknown` are the bank's; a payout with one of these stays. */
export const keptVerdicts = ['accepted', 'rejected', 'unknown', 'cancelled', 'late_refusal'] as const
export type KeptVerdict = (typeof keptVerdicts)[number]

/** Carries amounts and codes only: it travels through the workflow's history. */
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
