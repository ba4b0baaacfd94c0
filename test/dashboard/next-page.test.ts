// The sign-in leads only to pages of the dashboard, whatever the URL asks for.
import { expect, test } from '@jest/globals'
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
])('%j does not leave the dashboard', (asked) => expect(nextPage(asked)).toBeUndefined())
