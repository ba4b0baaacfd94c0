// The numbers of signing in (design §6): what an emailed code and those who ask for one are held to.

export const codePattern = '^[0-9]{6}$'
export const codeLastsMs = 10 * 60 * 1000
export const codeTries = 5

/** From all addresses together; and as many more from browsers that know the email. */
export const codesPerEmailAndHour = 5

/** Counted apart from those, because anybody can sign up with an email. */
export const signUpCodesPerEmailAndHour = 3

/** At its codes of both kinds together, since either signs in: 25 guesses in a million an hour, of which strangers have 15. */
export const triesPerEmailAndHour = { strangers: 15, knownBrowsers: 10 }

/** How long after signing in a browser is known. */
export const browserKnownForMs = 90 * 24 * 60 * 60 * 1000

/** How many partners one email may open by itself. */
export const signUpsPerEmail = 5

/** Many people may sit behind one address, and few of them sign in within one hour. */
export const codesPerAddressAndHour = 60
export const triesPerAddressAndHour = 300

/** A person who sends payouts by hand confirms a few; with five tries each, 100 guesses in a million an hour. */
export const confirmCodesPerMemberAndHour = 20
export const invitationsPerPartnerAndHour = 20
