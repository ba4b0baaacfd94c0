// The words that customers read, in the dashboard, the emails, the API reference and the guide.
import { describe, expect, test } from '@jest/globals'
import { writeGuide } from '../../api/docs/guide'
import { openApiDocument } from '../../api/openapi'
import { routes } from '../../api/routes'
import { everyMessage } from '../support/mail/every-message'
import { read, sourceFiles } from '../support/source-imports'

/** Words that customers must not read, each with the word to use instead. */
const refused: readonly (readonly [RegExp, string])[] = [
  [/\bcan\s+not\b/i, 'cannot, or can’t'],
  [/make-believe/i, 'simulated, or test'],
  [/\bby (itself|themselves)\b/i, 'automatically'],
  [/\bmail(s|ed|ing|box)?\b/i, 'email'],
  [/\bmade\b/i, 'created'],
  [/\bpartners?\b/i, 'account, or business'],
  [/\bto whom\b/i, 'recipient'],
]

describe('customers read plain English', () => {
  test('in the dashboard', () => {
    const files = sourceFiles().filter((file) => /^dashboard\/.*\.tsx?$/.test(file))
    const texts = files.flatMap(textsIn)

    expect(texts.length).toBeGreaterThan(400)
    expect(faultsIn(texts)).toEqual([])
  })

  test('in the emails', () => {
    const texts = Object.values(everyMessage()).flatMap(({ subject, text }) => [subject, text])

    expect(faultsIn(texts)).toEqual([])
  })

  test('in the API reference', () => {
    const about = { title: 'Payouts API', version: '1.0.0', publicUrl: 'https://payouts.test', guide: '' }
    const texts = describedIn(openApiDocument(routes, about)).map(withoutCode)

    expect(texts.length).toBeGreaterThan(200)
    expect(faultsIn(texts)).toEqual([])
  })

  test('in the guide', () => {
    const texts = withoutCode(writeGuide('https://payouts.test')).split(/\n\n+/)

    expect(faultsIn(texts)).toEqual([])
  })

  test.each(['You can\nnot do that', 'It works by itself', 'A mail is sent', 'The key was made', 'Your partner'])(
    '"%s" would be found',
    (text) => expect(faultsIn([text])).toHaveLength(1),
  )
})

test('operation titles start with a verb, and no two are the same', () => {
  const titles = routes.map(({ summary }) => summary)

  expect(titles.filter((title) => !/^[A-Z][a-z]+ [a-z]*/.test(title) || /[.,]$/.test(title))).toEqual([])
  expect(new Set(titles).size).toBe(titles.length)
  expect(titles[0]).toBe('Create a payout')
})

function faultsIn(texts: readonly string[]): string[] {
  return texts.flatMap((text) =>
    refused.filter(([pattern]) => pattern.test(text)).map(([, instead]) => `${text} → ${instead}`),
  )
}

/** Texts of several words in quotes, and those between tags. Comments and imports are left out. */
function textsIn(file: string): string[] {
  const code = read(file).replaceAll(/^\s*(\/\/|\/?\*).*$|^import .*$/gm, '')
  const quoted = [...code.matchAll(/'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`/g)].map(([, one, two, three]) =>
    (one ?? two ?? three ?? '').replaceAll(/\$\{[^}]*\}/g, '…'),
  )
  const betweenTags = file.endsWith('.tsx') ? [...code.matchAll(/[>}]([^<>{}=;()]*)(?=[<{])/g)] : []
  return [...quoted.filter((text) => /\S\s+\S/.test(text)), ...betweenTags.map(([, text = '']) => text.trim())]
}

/** Every summary, description and error message of the document. */
function describedIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => {
    const isText = typeof each === 'string' && ['summary', 'description', 'message'].includes(key)
    return isText ? [each] : describedIn(each)
  })
}

/** Code keeps the names of the interface, such as `partner_not_active`. */
function withoutCode(markdown: string): string {
  return markdown.replaceAll(/```[\s\S]*?```|`[^`]*`/g, '').replaceAll(/\/v1\/\S+|X-Partner-Id|\b[a-z]+_[a-z_]+\b/g, '')
}
