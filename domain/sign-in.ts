// Limits of emailed codes and of the requests for them.

export const codePattern = '^[0-9]{6}$'
export const codeLastsMs = 10 * 60 * 1000
export const codeTries = 5

/** Sign-in and sign-up codes together, from all addresses. docs/decisions/sign-in/codes-belong-to-a-browser.md derives these four. */
export const codesPerEmailAndHour = 40
/** The first codes of an hour allow `codeTries` wrong tries each, every later one a single try. */
export const forgivingCodesPerEmailAndHour = 4
/** So that one address cannot use up the codes of an email. */
export const codesPerEmailAddressAndHour = 8
/** Many people may share an address, and few of them sign in within the same hour. */
export const codesPerAddressAndHour = 60

/** Each opens a partner with a bank customer. Even a workshop behind one address rarely signs up more businesses. */
export const signUpsPerAddressAndHour = 10
/** How many partners one email may open by itself. */
export const signUpsPerEmail = 5

export const triesPerAddressAndHour = 300

/** A person who sends payouts by hand confirms a few; with five tries each, 100 guesses in a million an hour. */
export const confirmCodesPerMemberAndHour = 20
export const invitationsPerPartnerAndHour = 20

/** To one partner. Each is a security event there. */
export const switchesPerMemberAndHour = 30
