// Where to go after the sign-in: only a page of ours behind it may be asked for.

const inner = /^\/dashboard(\/|$)/
/** For resolving alone: an address that leads to any other host is none of ours. */
const here = 'http://here.invalid'

/** As the browser would understand it, dots and backslashes resolved; undefined where that is not below /dashboard. */
export function nextPage(asked: string | undefined): string | undefined {
  if (asked === undefined || !asked.startsWith('/') || !URL.canParse(asked, here)) return undefined
  const { origin, pathname, search, hash } = new URL(asked, here)
  // An encoded slash is decoded later on, and could then step out.
  const isOurs = origin === here && inner.test(pathname) && !/%(2f|5c)/i.test(pathname)
  return isOurs ? `${pathname}${search}${hash}` : undefined
}
