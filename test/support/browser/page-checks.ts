// Checks a page in a real browser: light and dark, wide and narrow, by axe, by its width and by the browser's console.
import type { Visitor } from './visitor'

export const noFindings = { light: [], dark: [], onPhone: [], tooWideBy: 0, complaints: [] }

/** Checks the open page, which starts in light colours. Saves screenshots of all four variants under its name. */
export async function checkPage(visitor: Visitor, name: string) {
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

/** Measures each table too, because one that is wider than its card scrolls inside it and does not widen the page. */
const widest = `Math.max(0, document.documentElement.scrollWidth - innerWidth,
  ...Array.from(document.querySelectorAll('table'), ({ parentElement: card }) => card.scrollWidth - card.clientWidth))`
