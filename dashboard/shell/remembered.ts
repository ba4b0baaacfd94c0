// The last environment, the theme and hidden checklists, stored in the browser between visits. No personal data.
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

const rememberTheme = (theme: Theme) => write('theme', theme)

/** A browser may forbid storage; then nothing is remembered. */
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
