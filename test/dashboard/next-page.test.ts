// Whatever the URL contains, users are sent only to dashboard pages, and requests only to the path that the page names.
import { expect, test } from '@jest/globals'
import { pathTo } from '../../dashboard/api/call'
import { nextPage } from '../../dashboard/pages/sign-in/next-page'

test.each([
  ['/dashboard', '/dashboard'],
  ['/dashboard?environment=live', '/dashboard?environment=live'],
  ['/dashboard/payouts?q=Ada%20L#top', '/dashboard/payouts?q=Ada%20L#top'],
  ['/dashboard/x/../payouts', '/dashboard/payouts'],
  ['/docs/../dashboard/keys', '/dashboard/keys'],
])('%s leads to %s', (asked, shown) => expect(nextPage(asked)).toBe(shown))

test.each([
  undefined,
  '',
  'dashboard',
  '/dashboards',
  '/docs',
  '/dashboard/../docs',
  '/dashboard/..',
  '/dashboard/%2e%2e/docs',
  '/dashboard/.%2E/docs',
  '/dashboard\\..\\docs',
  '/dashboard/..%2fdocs',
  '/dashboard/..%5Cdocs',
  '/dash\tboard/../docs',
  '//evil.test/dashboard',
  '/\\evil.test/dashboard',
  '/\t/evil.test/dashboard',
  'https://evil.test/dashboard',
  'http://here.invalid/dashboard',
  'javascript:alert(1)//dashboard',
  '/dashboard/../../\\evil.test/dashboard/..',
])('%j is not a dashboard page', (asked) => expect(nextPage(asked)).toBeUndefined())

test.each(['..', '.', '../members', '/', '?x=1', 'a/b', '%2e%2e'])(
  'the ID %s cannot change the path of a request',
  (id) => {
    const { pathname, search } = new URL(pathTo`/v1/public/invitations/${id}`, 'http://api.test')

    expect([pathname.split('/').length, pathname.startsWith('/v1/public/invitations/'), search]).toEqual([5, true, ''])
  },
)
