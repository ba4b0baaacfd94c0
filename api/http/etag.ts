// Compares ETags, to decide between 200 and 304.

/** If-None-Match is a list or `*`, and is compared weakly. */
export function matchesEtag(etag: string, ifNoneMatch: string): boolean {
  const opaque = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some((each) => ['*', opaque].includes(each.trim().replace(/^W\//, '')))
}
