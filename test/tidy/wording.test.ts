// Checks the words that customers read, in the dashboard, the emails, the API reference and the guide.
import { describe, expect, test } from '@jest/globals'
import { parseSync } from '@swc/core'
import { writeGuide } from '../../api/docs/guide'
import { openApiDocument } from '../../api/openapi'
import { routes } from '../../api/routes'
import { everyMessage } from '../support/mail/every-message'
import { read, sourceFiles } from '../support/source-imports'

/** Words that must not appear in customer texts, each with the word to use instead. */
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
    const texts = files.map(read).flatMap(textsIn)

    expect(texts.length).toBeGreaterThan(400)
    expect(faultsIn(texts)).toEqual([])
  })

  test('in the emails', () => {
    const texts = Object.values(everyMessage()).flatMap(({ subject, text }) => [subject, text])

    expect(faultsIn(texts)).toEqual([])
  })

  test('in the API reference', () => {
    const about = { title: 'Payouts API', version: '1.0.0', publicUrl: 'https://payouts.test', guide: '' }
    const texts = describedIn(openApiDocument(routes, about, 'dashboard')).map(withoutCode)

    expect(texts.length).toBeGreaterThan(200)
    expect(faultsIn(texts)).toEqual([])
  })

  test('in the guide', () => {
    const texts = withoutCode(writeGuide('https://payouts.test')).split(/\n\n+/)

    expect(faultsIn(texts)).toEqual([])
  })

  test.each(['You can\nnot do that', 'It works by itself', 'A mail is sent', 'The key was made', 'Your partner'])(
    '"%s" is reported',
    (text) => expect(faultsIn([text])).toHaveLength(1),
  )

  test.each(['<nav aria-label="Mailbox" />', '<Status of="Made" />', '<p>Made</p>', "const name = 'see your mail'"])(
    '%s in the dashboard is reported',
    (code) => expect(faultsIn(textsIn(code)).length).toBeGreaterThan(0),
  )
})

describe('a page’s texts are in the texts module in its folder', () => {
  test('no other module of a page contains text', () => {
    const files = sourceFiles().filter((file) => /^dashboard\/pages\/.*(?<!\/texts)\.tsx$/.test(file))
    const found = files.map((file) => [file, shownIn(read(file))] as const)

    expect(files.length).toBeGreaterThan(30)
    expect(found.filter(([, texts]) => texts.length > 0)).toEqual([])
  })

  test.each([
    ['<p>Try again</p>', 'Try again'],
    ['<Card title="Details" />', 'Details'],
    ['<Card className="mt-2 flex" title={title} />', undefined],
    ["<p>{isOpen ? 'Open now' : texts.closed}</p>", 'Open now'],
    ['<p>{`Send ${amount}`}</p>', 'Send'],
  ])('the scan of %s finds %s', (code, text) => {
    expect(shownIn(code)).toEqual(text === undefined ? [] : [text])
  })
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

const textsIn = (code: string) => [...quotedIn(code), ...shownIn(code)]

/** Quoted texts of several words. Omits comments and imports. */
function quotedIn(source: string): string[] {
  const code = source.replaceAll(/^\s*(\/\/|\/?\*).*$|^import .*$/gm, '')
  const quoted = [...code.matchAll(/'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`/g)].map(([, one, two, three]) =>
    (one ?? two ?? three ?? '').replaceAll(/\$\{[^}]*\}/g, '…'),
  )
  return quoted.filter((text) => /\S\s+\S/.test(text))
}

/** Attributes of our components that are shown or read aloud. */
const shownAttributes = new Set([
  'about',
  'aria-label',
  'button',
  'errorTitle',
  'hint',
  'label',
  'placeholder',
  'title',
  'what',
])

/** Texts between tags, texts in visible attributes, and strings that start like a sentence. */
function shownIn(code: string): string[] {
  const found: string[] = []
  walk(parseSync(code, { syntax: 'typescript', tsx: true }), (node) => {
    const { type, value, name, quasis } = node
    if (type === 'JSXText' && typeof value === 'string' && isText(value)) found.push(value.trim())
    if (type === 'JSXAttribute' && isNode(name) && isNode(value) && shownAttributes.has(String(name['value'])))
      if (typeof value['value'] === 'string' && isText(value['value'])) found.push(value['value'])
    if (type === 'StringLiteral' && typeof value === 'string' && /^[A-Z][a-z]+( |[.?]?$)/.test(value)) found.push(value)
    if (type === 'TemplateLiteral' && Array.isArray(quasis))
      found.push(...quasis.map(({ raw }) => String(raw).trim()).filter((raw) => /^[A-Z][a-z]+( |$)/.test(raw)))
  })
  return [...new Set(found)]
}

const isText = (text: string) => /[A-Za-z]{2}/.test(text)

type Node = Readonly<Record<string, unknown>>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) walk(each, visit)
  else if (isNode(value) && value['type'] !== 'ImportDeclaration') {
    visit(value)
    for (const each of Object.values(value)) walk(each, visit)
  }
}

/** Every summary, description and error message in the document. */
function describedIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => {
    const isText = typeof each === 'string' && ['summary', 'description', 'message'].includes(key)
    return isText ? [each] : describedIn(each)
  })
}

/** Code contains names from the API, such as `partner_not_active`, and is not checked. */
function withoutCode(markdown: string): string {
  return markdown.replaceAll(/```[\s\S]*?```|`[^`]*`/g, '').replaceAll(/\/v1\/\S+|X-Partner-Id|\b[a-z]+_[a-z_]+\b/g, '')
}
