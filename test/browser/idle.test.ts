// An unattended page continues to poll, and marks these reads as background so that they do not extend a session.
import { expect, test } from '@jest/globals'
import type { Request } from 'playwright-core'
import { aPartner, aSession } from '../support/api/fixtures'
import { useDashboard } from '../support/browser/served-dashboard'

const { api, visit } = useDashboard()

test('background reads of an idle page are marked, and reads caused by the user are not', async () => {
  const visitor = await visit({ session: await aSession(api, await aPartner(api), 'viewer') })
  const { page } = visitor
  const marked: (string | undefined)[] = []
  page.on('request', (request) => {
    if (isRead(request)) marked.push(request.headers()['x-background'])
  })
  await page.clock.install()
  await visitor.go('/dashboard/audit-log?environment=sandbox')
  expect(new Set(marked)).toEqual(new Set([undefined]))

  const alone = page.waitForRequest((request) => isRead(request) && request.headers()['x-background'] === 'true')
  await page.clock.runFor(90_000)
  await alone

  const wanted = page.waitForRequest(isRead)
  await page.getByRole('link', { name: 'Wallet' }).press('Enter')
  expect((await wanted).headers()['x-background']).toBeUndefined()
  await visitor.leave()
})

function isRead(request: Request): boolean {
  return request.method() === 'GET' && request.url().includes('/v1/')
}
