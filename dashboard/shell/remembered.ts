// What the browser keeps between visits: which environment was looked at last, and light or dark. Nothing of anyone's data.
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

export const rememberTheme = (theme: Theme) => write('theme', theme)

/** A browser may forbid the storage; then nothing is remembered. */
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
    // Then nothing is remembered.
  }
}
