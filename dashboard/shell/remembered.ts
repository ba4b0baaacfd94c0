// Stores the last environment, the theme, hidden checklists and dismissed payouts in the browser between visits. Stores
// no personal data.
import type { Environment } from '../api/types'

export type Theme = 'light' | 'dark' | 'system'

export function rememberedEnvironment(): Environment | null {
  const value = read('environment')
  return value === 'live' || value === 'sandbox' ? value : null
}

export const rememberEnvironment = (environment: Environment) => write('environment', environment)

export function rememberedTheme(): Theme {
  const value = read('theme')
  return value === 'light' || value === 'dark' ? value : 'system'
}

export const isChecklistHidden = (partnerId: string) => read(`checklist ${partnerId}`) === 'hidden'
export const rememberHiddenChecklist = (partnerId: string) => write(`checklist ${partnerId}`, 'hidden')

const dismissedCount = 200

/** The payouts that a member has dismissed from the attention list, as IDs with the status at that time. */
export const dismissedBy = (memberId: string, environment: Environment): readonly string[] =>
  read(`dismissed ${memberId} ${environment}`)?.split(' ') ?? []

export const rememberDismissed = (memberId: string, environment: Environment, dismissed: readonly string[]) =>
  write(`dismissed ${memberId} ${environment}`, dismissed.slice(-dismissedCount).join(' '))

const rememberTheme = (theme: Theme) => write('theme', theme)

/** If the browser forbids storage, nothing is remembered. */
function read(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

function write(name: string, value: string): void {
  try {
    localStorage.setItem(name, value)
  } catch {
    // Nothing is remembered.
  }
}

export function applyTheme(theme: Theme = rememberedTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function chooseTheme(theme: Theme): void {
  rememberTheme(theme)
  applyTheme(theme)
}
