// The public API's limits, and its text patterns for JSON schemas.
import type { Pence } from './money'

interface PayoutLimits {
  readonly minPence: Pence
  readonly maxPerPayoutPence: Pence
}

/** The widest range that an account can have. An account's own range can be narrower. */
export const payoutLimits: PayoutLimits = { minPence: 100n, maxPerPayoutPence: 2_000_000n }

export const sandboxFloatPence: Pence = 790_000n

export const countries = ['GB'] as const
export type Country = (typeof countries)[number]

export const keysPerEnvironment = 5
export const listLimit = { min: 1, max: 200, default: 50 } as const
export const activityListLength = 200

export const noteMaxLength = 1_000
export const notesPerPayout = 100

export const referenceMaxLength = 120
export const nameMinLength = 1
export const nameMaxLength = 80
export const regionMaxLength = 80
export const labelMaxLength = 60
export const partnerNameMaxLength = 120
/** The limit for address lines, town, postcode and bank name. The specification does not set one. */
export const addressMaxLength = 140

export const idempotencyKeyPattern = String.raw`^[A-Za-z0-9_\-:.]{8,100}$`
export const slugPattern = '^[a-z0-9-]{2,40}$'
export const sortCodePattern = String.raw`^\d{6}$`
export const accountNumberPattern = String.raw`^\d{8}$`

const joiners = String.raw`\u200c\u200d`
/** Letters without a visible glyph. */
const blankLetters = String.raw`\u115f\u1160\u2800\u3164\uffa0`
/** Latin, Greek, Cyrillic, digits, punctuation and spaces. A joiner next to one of them is invisible. */
const neverJoined = String.raw`\u0000-\u052f\p{N}\p{P}\p{Z}${joiners}`
const visible = String.raw`\p{L}\p{N}\p{P}\p{S}`
const spacesAndMarks = String.raw`\p{M}\p{Zs}`
const lineCharacters = `${visible}${spacesAndMarks}${joiners}`
/** Matches text without hidden characters. A joiner may end a text after a mark, because some scripts need that. */
const nothingHidden = String.raw`(?![\s\S]*(?:[${blankLetters}]|[${neverJoined}][${joiners}]|[\p{L}\p{S}][${joiners}](?:[${neverJoined}]|$)))`
const startsUnjoined = `(?![${joiners}])`

/**
 * The rule for every name, reference, address and bank name, as a JSON schema pattern. It allows letters, marks,
 * digits, punctuation, symbols, spaces, and joiners where a script or an emoji needs them. It refuses control and
 * format characters, because they can forge lines, change the text direction, or make two different names look the
 * same. Each pattern runs in linear time.
 */
export const linePattern = `^${startsUnjoined}${nothingHidden}[${lineCharacters}]*$`
export const visibleLinePattern = `^${nothingHidden}[${spacesAndMarks}]*[${visible}][${lineCharacters}]*$`
/** The same rule for text with several lines. */
export const linesPattern = String.raw`^${startsUnjoined}${nothingHidden}[${lineCharacters}\n]*$`

let visibleLine: RegExp | undefined

export function isVisibleLine(text: string): boolean {
  // Created on first use, because its Unicode classes take longer than loading most modules.
  visibleLine ??= new RegExp(visibleLinePattern, 'u')
  return visibleLine.test(text)
}

/**
 * The looser forms of these patterns in the OpenAPI document. They reject control characters only, in syntax that the
 * regular expressions of every language share. The API applies both.
 */
export const portableLinePattern = String.raw`^[^\x00-\x1f\x7f-\x9f]*$`
export const portableVisibleLinePattern = String.raw`^[ \xa0]*[^\x00-\x20\x7f-\xa0][^\x00-\x1f\x7f-\x9f]*$`
export const portableLinesPattern = String.raw`^[^\x00-\x09\x0b-\x1f\x7f-\x9f]*$`

/** Rejects text that mail clients turn into a link. */
const noWebAddress = String.raw`(?!.*(?://|[wW]{3}\.|[\p{L}\p{N}][.\u3002\uff0e\uff61]\p{L}{2}))`
/** For a name that appears in emails to people who do not know the business. */
export const mailedNamePattern = `^${noWebAddress}${visibleLinePattern.slice(1)}`

export function isWithin(amountPence: Pence, limits: PayoutLimits): boolean {
  return amountPence >= limits.minPence && amountPence <= limits.maxPerPayoutPence
}

/** Scheduled work skips a sandbox that has had no visit and no movement for this long. */
export const sandboxIdleAfterMs = 24 * 60 * 60 * 1000

/**
 * How often per hour an API key or member may reuse an Idempotency-Key with another body. Each such request is a
 * guess at the first body.
 */
export const conflictsPerCallerAndHour = 30
/**
 * How often per hour a caller's checks may find a payout to another account with the same last four digits. Each such
 * result is a wrong guess.
 */
export const nearMissesPerCallerAndHour = 100

/** Limits top-ups with test money. */
export const topUpsPerPartnerAndHour = 60

/**
 * Applies to each environment separately, and is six times `keysPerEnvironment`. Each creation is a security event, so
 * this also limits the list of security events.
 */
export const keysPerPartnerAndHour = 30
