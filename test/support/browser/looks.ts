// How a page is judged in a real browser: light and dark, wide and narrow, by axe, by its width and by what the browser says.
import type { Visitor } from './visitor'

export const goodLooks = { light: [], dark: [], onPhone: [], tooWideBy: 0, complaints: [] }

/** Of the page that is open, in light colours; pictures of all four looks are kept under its name. */
export async function looksOf(visitor: Visitor, name: string) {
  const { page, complaints } = visitor
  const light = await visitor.faults()
  await visitor.picture(`${name}-light`)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await visitor.faults()
  await visitor.picture(`${name}-dark`)
  await page.setViewportSize({ width: 390, height: 844 })
  await visitor.picture(`${name}-phone-dark`)
  await page.emulateMedia({ colorScheme: 'light' })
  const onPhone = await visitor.faults()
  await visitor.picture(`${name}-phone`)
  const tooWideBy: number = await page.evaluate(widest)
  return { light, dark, onPhone, tooWideBy, complaints }
}

/** A table that is wider than its card scrolls in there, and the page does not show it. */
const widest = `Math.max(0, document.documentElement.scrollWidth - innerWidth,
  ...Array.from(document.querySelectorAll('table'), ({ parentElement: card }) => card.scrollWidth - card.clientWidth))`
