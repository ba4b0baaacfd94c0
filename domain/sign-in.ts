// Defines the limits on emailed codes and on requests for them.

export const codePattern = '^[0-9]{6}$'
export const codeLastsMs = 10 * 60 * 1000
export const codeTries = 5

/**
 * Limits sign-in and sign-up codes together, from all clients. docs/decisions/sign-in/codes-bound-to-a-browser.md
 * explains this and the next three limits.
 */
export const codesPerEmailAndHour = 40
/** The first codes of an hour allow `codeTries` wrong tries each. Every later code allows one try. */
export const forgivingCodesPerEmailAndHour = 4
/** Prevents one client address from using up the codes of an email address. */
export const codesPerEmailAddressAndHour = 8
/** Many people can share a client address, but few of them sign in within the same hour. */
export const codesPerAddressAndHour = 60

/** Each sign-up creates a partner, and a customer at the bank. More sign-ups from one client address are rare. */
export const signUpsPerAddressAndHour = 10
/** How many partners one email address can create by sign-up. */
export const signUpsPerEmail = 5

export const triesPerAddressAndHour = 300

/** A person who sends payouts manually confirms only a few. With five tries each, this allows 100 guesses per hour at a million codes. */
export const confirmCodesPerMemberAndHour = 20
export const invitationsPerPartnerAndHour = 20

/** Applies to each partner. Each switch is a security event. */
export const switchesPerMemberAndHour = 30
