// Light or dark: what was chosen, or else what the system prefers.
import { rememberedTheme, rememberTheme, type Theme } from './remembered'

export function applyTheme(theme: Theme = rememberedTheme()): void {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}

export function chooseTheme(theme: Theme): void {
  rememberTheme(theme)
  applyTheme(theme)
}
