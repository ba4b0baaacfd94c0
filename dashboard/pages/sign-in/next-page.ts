// The page to open after sign-in: only one of our own pages is allowed.

const inner = /^\/dashboard(\/|$)/
/** The base for resolving relative URLs. A result with another host is not ours. */
const here = 'http://here.invalid'

/** Resolves dots and backslashes as a browser does. Returns undefined unless the result is below /dashboard. */
export function nextPage(asked: string | undefined): string | undefined {
  if (asked === undefined || !asked.startsWith('/') || !URL.canParse(asked, here)) return undefined
  const { origin, pathname, search, hash } = new URL(asked, here)
  // An encoded slash is decoded later and could then lead outside /dashboard.
  const isOurs = origin === here && inner.test(pathname) && !/%(2f|5c)/i.test(pathname)
  return isOurs ? `${pathname}${search}${hash}` : undefined
}
