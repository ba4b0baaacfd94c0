// How a page is judged in a real browser: light and dark, wide and narrow, by axe, by its width and by what the browser says.
import { expect } from '@jest/globals'
import type { Visitor } from './dashboard-visitor'

/** Of the page that is open, in light colours; pictures of all four looks are kept under its name. */
export async function expectGoodLooks(visitor: Visitor, name: string): Promise<void> {
  const { page } = visitor
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
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')

  expect({ light, dark, onPhone }).toEqual({ light: [], dark: [], onPhone: [] })
  expect(overflow).toBeLessThanOrEqual(0)
  expect(visitor.complaints).toEqual([])
}
