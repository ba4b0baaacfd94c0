// Checks a page in a real browser for axe violations, excess width and console errors, in light, dark and forced
// colours and at desktop and phone size.
import type { Visitor } from './visitor'

export const noFindings = {
  light: [],
  dark: [],
  forcedColors: [],
  onPhone: [],
  tooWideBy: 0,
  current: [],
  complaints: [],
}

/** Checks the open page, which must be in light colours. With PICTURES=on, saves screenshots of all variants. */
export async function checkPage(visitor: Visitor, name: string) {
  const { page, complaints } = visitor
  const light = await visitor.faults()
  await visitor.picture(`${name}-light`)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await visitor.faults()
  await visitor.picture(`${name}-dark`)
  await page.emulateMedia({ forcedColors: 'active' })
  await page.evaluate(reportForcedText)
  const forcedColors = await visitor.faults()
  await visitor.picture(`${name}-forced-colors`)
  await page.evaluate(reportOwnText)
  await page.emulateMedia({ forcedColors: 'none' })
  await page.setViewportSize({ width: 390, height: 844 })
  await visitor.picture(`${name}-phone-dark`)
  await page.emulateMedia({ colorScheme: 'light' })
  const onPhone = await visitor.faults()
  await visitor.picture(`${name}-phone`)
  const tooWideBy: number = await page.evaluate(widest)
  // Only the menu may mark the current page, so no link in the main content should.
  const current = await page.locator('main a[aria-current=page]').allTextContents()
  // Removes the complaints, so that they are not reported for the visitor's next page too.
  return { light, dark, forcedColors, onPhone, tooWideBy, current, complaints: complaints.splice(0) }
}

/**
 * Also measures each table, because a table that is wider than its card scrolls inside the card and does not widen the
 * page.
 */
const widest = `Math.max(0, document.documentElement.scrollWidth - innerWidth,
  ...Array.from(document.querySelectorAll('table'), ({ parentElement: card }) => card.scrollWidth - card.clientWidth))`

/**
 * axe reads -webkit-text-fill-color. Chromium reports it as if colours were not forced, even though it paints forced
 * colours.
 */
const reportForcedText = `for (const element of document.querySelectorAll('body *'))
  element.style.webkitTextFillColor = getComputedStyle(element).color`
const reportOwnText = `for (const element of document.querySelectorAll('body *')) element.style.webkitTextFillColor = ''`
