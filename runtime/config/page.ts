// Generates the tables in docs/configuration.md from the settings, for `npm run docs:configuration`.
import { readFileSync, writeFileSync } from 'node:fs'
import type { Presence, Setting } from './setting'
import { groups } from './settings'

const marker = '<!-- Generated from runtime/config/settings.ts by `npm run docs:configuration`. Do not edit below. -->'

/** Returns the page with its introduction unchanged and its tables regenerated. */
export function configurationPage(page: string): string {
  const [introduction = ''] = page.split(marker)
  const tables = Object.entries(groups).map(([title, group]) =>
    [`## ${title}`, '', ...header, ...Object.entries(group).map(([name, setting]) => row(name, setting))].join('\n'),
  )
  return `${[`${introduction.trimEnd()}\n\n${marker}`, ...tables].join('\n\n')}\n`
}

const header = ['| setting | value | default | description |', '| --- | --- | --- | --- |']

function row(name: string, { kind, inProduction, presence, description, alsoNamed }: Setting<unknown>): string {
  const value = inProduction === undefined ? kind.mustBe : `${kind.mustBe}; in production ${inProduction.mustBe}`
  const alias = alsoNamed === undefined ? '' : ` Also \`${alsoNamed}_DATA\` or \`${alsoNamed}_PATH\`.`
  return `| \`${name}\` | ${escape(value)} | ${defaultOf(name, presence)} | ${description}${alias} |`
}

function defaultOf(name: string, presence: Presence<unknown>): string {
  if ('otherwise' in presence) return presence.shown
  if ('required' in presence) return presence.with === null ? 'required' : `required with \`${presence.with}\``
  return `\`${presence.default}\`${name.endsWith('_MS') ? durationOf(Number(presence.default)) : ''}`
}

/** Empty for a list of times, and for a time that is not a whole number of seconds. */
function durationOf(ms: number): string {
  const unit = units.find(([, length]) => ms >= length && ms % length === 0)
  return unit === undefined ? '' : ` (${ms / unit[1]} ${unit[0]})`
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** Prevents Markdown from parsing <id> as HTML and a bar as the end of a cell. */
function escape(text: string): string {
  return text.replaceAll(/[<|]/g, '\\$&')
}

if (require.main === module) {
  const path = 'docs/configuration.md'
  writeFileSync(path, configurationPage(readFileSync(path, 'utf8')))
}
