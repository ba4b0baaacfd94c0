// While the rail is paused, the dashboard shows that payouts wait. The notice disappears when the rail resumes.
import { expect, test } from '@jest/globals'
import { pauseRail, resumeRail } from '../../../db/bank/rail-pauses'
import { aPartner, aPayoutRow, aSession } from '../../support/api/fixtures'
import { useDashboard } from '../../support/browser/served-dashboard'

const { api, visit } = useDashboard()
const banner = 'Bank maintenance: payouts will be sent when it ends'

test('Home, Send and a pending payout show that the rail of their environment is paused, until it resumes', async () => {
  const partner = await aPartner(api)
  const { id } = await aPayoutRow(api, partner, { status: 'pending' })
  const visitor = await visit({ session: await aSession(api, partner, 'admin') })
  const { page } = visitor
  const paths = ['', '/send', `/payouts/${id}`].map((path) => `/dashboard${path}?environment=sandbox`)
  const change = { environment: 'sandbox', by: 'ops:ada', at: api.clock.now() } as const
  const shown = async (path: string) => {
    const account = page.waitForResponse('**/v1/account?*')
    await visitor.go(path)
    await (await account).finished()
    // The account says whether the rail is paused. This request gives the page time to show it.
    await page.evaluate("fetch('/healthz').then(() => null)")
    return page.getByText(banner).count()
  }

  await pauseRail(api.db, { ...change, reason: 'planned maintenance' })
  for (const path of paths) {
    await visitor.go(path)
    await page.getByText(banner).waitFor()
    expect(await page.getByText('planned maintenance').count()).toBe(0)
    expect(await visitor.faults()).toEqual([])
  }
  await visitor.picture('bank-maintenance')
  expect(await shown('/dashboard?environment=live')).toBe(0)

  await resumeRail(api.db, change)
  for (const path of paths) expect(await shown(path)).toBe(0)
  await visitor.leave()
})
