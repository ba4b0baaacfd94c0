// Checks a page in a real browser: light, dark and forced colours, wide and narrow, by axe, by its width and by the browser's console.
import type { Visitor } from './visitor'

export const noFindings = { light: [], dark: [], forcedColors: [], onPhone: [], tooWideBy: 0, complaints: [] }

/** Checks the open page, which starts in light colours. Saves screenshots of all variants under its name. */
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
  return { light, dark, forcedColors, onPhone, tooWideBy, complaints }
}

/** Measures each table too, because one that is wider than its card scrolls inside it and does not widen the page. */
const widest = `Math.max(0, document.documentElement.scrollWidth - innerWidth,
  ...Array.from(document.querySelectorAll('table'), ({ parentElement: card }) => card.scrollWidth - card.clientWidth))`

/** axe reads -webkit-text-fill-color, which Chromium reports without forced colours although it paints with them. */
const reportForcedText = `for (const element of document.querySelectorAll('body *'))
  element.style.webkitTextFillColor = getComputedStyle(element).color`
const reportOwnText = `for (const element of document.querySelectorAll('body *')) element.style.webkitTextFillColor = ''`
