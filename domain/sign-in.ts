// Defines the limits on emailed codes and on requests for them.

export const codePattern = '^[0-9]{6}$'
export const codeLastsMs = 10 * 60 * 1000
export const codeTries = 5

/** Sign-in and sign-up codes together, from all addresses. docs/decisions/sign-in/codes-bound-to-a-browser.md derives these four. */
export const codesPerEmailAndHour = 40
/** The first codes of an hour allow `codeTries` wrong tries each, every later one a single try. */
export const forgivingCodesPerEmailAndHour = 4
/** Keeps one address from using up the codes of an email. */
export const codesPerEmailAddressAndHour = 8
/** Many people can share an address, but few of them sign in within the same hour. */
export const codesPerAddressAndHour = 60

/** Each sign-up opens a partner and a customer at the bank. More sign-ups from one address are rare. */
export const signUpsPerAddressAndHour = 10
/** Partners that one email can open by sign-up. */
export const signUpsPerEmail = 5

export const triesPerAddressAndHour = 300

/** A person who sends payouts by hand confirms a few. Five tries each allow 100 guesses in a million per hour. */
export const confirmCodesPerMemberAndHour = 20
export const invitationsPerPartnerAndHour = 20

/** For one partner. Each is a security event. */
export const switchesPerMemberAndHour = 30
