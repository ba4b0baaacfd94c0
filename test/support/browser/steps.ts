// Common user actions in the dashboard, such as signing in with the emailed code and filling in a payout.
import type { Page } from 'playwright-core'
import type { InboxMessage } from '../mail/an-inbox'
import type { Local } from '../system/started'
import { until } from '../until'
import type { Visitor } from './visitor'

/** Waits for an email to this address that matches `about`, and returns the newest code. */
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

/**
 * Opens an email in the mail inbox and clicks its button. Returns the tab that the button opens. The inbox has its own
 * tab, because it reloads itself and would interrupt a later navigation.
 */
export async function followMail(
  page: Page,
  { mail }: Local,
  { to, subject, button }: { to: string; subject: RegExp; button: string },
): Promise<Page> {
  const inbox = await page.context().newPage()
  await inbox.goto(mail?.inbox ?? '')
  await inbox.locator('a.row', { hasText: to }).filter({ hasText: subject }).first().click()
  const link = inbox.frameLocator('iframe').getByRole('link', { name: button, exact: true })
  const [tab] = await Promise.all([page.context().waitForEvent('page'), link.click()])
  await inbox.close()
  return tab
}

export async function signIn(visitor: Visitor, local: Local, email: string, path = '/sign-in'): Promise<void> {
  const { page } = visitor
  await visitor.go(path)
  await signInHere(visitor, local, email)
  await page.waitForURL('**/dashboard?*')
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  await visitor.settled()
}

/** Signs in on the sign-in page that is already open. */
export async function signInHere({ page }: Visitor, local: Local, email: string): Promise<void> {
  await fetch(`${local.mail?.inbox}/messages.json`, { method: 'DELETE' })
  await page.getByLabel('Work email').fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByLabel('Six-digit code').fill(await codeFor(local, email))
}

/** Presses Tab until the element with this name has focus. Does nothing if it already has focus. */
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

interface FilledPayout {
  readonly amount: string
  readonly name: string
  readonly account: string
  readonly type?: 'individual' | 'business'
}

export async function fillPayout(page: Page, { amount, name, account, type }: FilledPayout): Promise<void> {
  const [first = '', last = ''] = name.split(' ')
  await page.getByLabel('Amount (GBP)').fill(amount)
  if (type === 'business') {
    await page.getByLabel('Recipient type').selectOption(type)
    await page.getByLabel('Business name').fill(name)
  } else {
    await page.getByLabel('First name').fill(first)
    await page.getByLabel('Last name').fill(last)
  }
  await page.getByLabel('Address line 1').fill('12 St James Square')
  await page.getByLabel('Town').fill('London')
  await page.getByLabel('Postcode').fill('SW1Y 4JH')
  await page.getByLabel('Bank name').fill('Barclays')
  await page.getByLabel('Sort code').fill('20-04-15')
  await page.getByLabel('Account number').fill(account)
}
