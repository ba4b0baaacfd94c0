// Common user actions in the dashboard: sign in with the mailed code, and fill in a payout.
import type { Page } from 'playwright-core'
import type { InboxMessage } from '../mail/an-inbox'
import type { Local } from '../system/started'
import { until } from '../until'
import type { Visitor } from './visitor'

/** The newest code that was mailed to that address, once there is one whose text matches. */
export async function codeFor({ mail }: Local, email: string, about = /./): Promise<string> {
  let code = ''
  await until(`a code for ${email}`, async () => {
    const list: { data: InboxMessage[] } = JSON.parse(await (await fetch(`${mail?.inbox}/messages.json`)).text())
    const mine = list.data.filter(
      ({ to, text, subject }) => to.some((each) => each.includes(email)) && about.test(`${subject} ${text}`),
    )
    code = mine.map(({ subject }) => /\b\d{6}\b/.exec(subject)?.[0] ?? '').find((each) => each !== '') ?? ''
    return code !== ''
  })
  return code
}

export async function signIn(visitor: Visitor, local: Local, email: string, path = '/sign-in'): Promise<void> {
  const { page } = visitor
  await visitor.go(path)
  await signInHere(visitor, local, email)
  await page.waitForURL('**/dashboard?*')
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  await visitor.settled()
}

/** Signs in on the open sign-in page. */
export async function signInHere({ page }: Visitor, local: Local, email: string): Promise<void> {
  await fetch(`${local.mail?.inbox}/messages.json`, { method: 'DELETE' })
  await page.getByLabel('Work email').fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByLabel('Six-digit code').fill(await codeFor(local, email))
}

/** Presses Tab until the element with this name has the focus; does nothing if it has it already. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    const focused: string = await page.evaluate(focusedName)
    if (focused === name) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The Tab key never reaches ${name}.`)
}

const focusedName = `(() => {
  const { activeElement: at } = document
  const label = at?.labels?.[0]?.firstChild?.textContent
  return (at?.getAttribute('aria-label') ?? label ?? at?.textContent ?? '').trim()
})()`

/** Opens a page by its name in the Ctrl+K menu. */
export async function jumpTo({ keyboard }: Page, name: string): Promise<void> {
  await keyboard.press('Control+k')
  await keyboard.type(name)
  await keyboard.press('Enter')
}

export async function fillPayout(
  page: Page,
  { amount, name, account }: { amount: string; name: string; account: string },
): Promise<void> {
  const [first = '', last = ''] = name.split(' ')
  await page.getByLabel('Amount (GBP)').fill(amount)
  await page.getByLabel('First name').fill(first)
  await page.getByLabel('Last name').fill(last)
  await page.getByLabel('Address line 1').fill('12 St James Square')
  await page.getByLabel('Town').fill('London')
  await page.getByLabel('Postcode').fill('SW1Y 4JH')
  await page.getByLabel('Bank name').fill('Barclays')
  await page.getByLabel('Sort code').fill('20-04-15')
  await page.getByLabel('Account number').fill(account)
}
