// Limits on emailed codes, sign-ups, invitations and partner switches, and the device name of a session.

export const codePattern = '^[0-9]{6}$'
export const codeLastsMs = 10 * 60 * 1000
export const codeTries = 5

/**
 * Limits sign-in and sign-up codes together, from all clients. docs/decisions/sign-in/codes-bound-to-a-browser.md
 * explains this and the next three limits.
 */
export const codesPerEmailAndHour = 40
/** The first codes of an hour allow `codeTries` wrong attempts each. Every later code allows one attempt. */
export const forgivingCodesPerEmailAndHour = 4
/** Prevents one client address from using up all codes for an email address. */
export const codesPerEmailAddressAndHour = 8
/** Many people can share a client address, but few of them sign in within the same hour. */
export const codesPerAddressAndHour = 60

/** Each sign-up creates a partner and a customer at the bank, and one client address rarely needs many sign-ups. */
export const signUpsPerAddressAndHour = 10
/** How many partners one email address can create by signing up. */
export const signUpsPerEmail = 5

export const triesPerAddressAndHour = 300

/**
 * Someone who sends payouts manually needs only a few codes. With five attempts per code, this limit allows 100 guesses
 * per hour at a million codes.
 */
export const confirmCodesPerMemberAndHour = 20
export const invitationsPerPartnerAndHour = 20
/** Limits how often one member's invitation is resent. Each resend also counts against the partner's limit. */
export const resentInvitationsPerMemberAndHour = 3

/** Counted separately for each partner that a person switches to. Each switch is a security event. */
export const switchesPerMemberAndHour = 30

/**
 * Returns a name such as `Chrome on Windows`, or null if the header contains neither a known browser nor a known
 * system. A session stores only this name, because the whole header could identify a person.
 */
export function deviceOf(userAgent: string): string | null {
  const browser = firstMatch(browsers, userAgent)
  const system = firstMatch(systems, userAgent)
  if (system === null) return browser
  return `${browser ?? 'Browser'} on ${system}`
}

type Names = readonly (readonly [name: string, pattern: RegExp])[]

/** The order matters: the headers of Edge, Opera and others also contain Chrome, and Chrome's contains Safari. */
const browsers: Names = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\b(?:OPR|OPiOS|OPT)\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Headless)?Chrom(?:e|ium)\/|\bCriOS\//],
  ['Safari', /\bVersion\/[\d.]+ .*\bSafari\//],
]

/** The order matters: an Android header also contains Linux. */
const systems: Names = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows NT\b/],
  ['Mac', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
]

function firstMatch(names: Names, text: string): string | null {
  return names.find(([, pattern]) => pattern.test(text))?.[0] ?? null
}
