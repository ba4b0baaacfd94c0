// Every email to a partner: one layout, the same text in both formats, and a button that leads to the right page.
import { describe, expect, test } from '@jest/globals'
import type { Message } from '../../mail/messages/code'
import { noticeMessage } from '../../mail/messages/notice'
import { everyMessage } from '../support/mail/every-message'

const messages = Object.entries(everyMessage())

describe.each(messages)('%s', (_name, { text, html }) => {
  test('has the same text in HTML and in plain text', () => {
    const shown = wordsOf(unescaped(html.replace(/<style>[\s\S]*?<\/style>/, '').replaceAll(/<[^>]*>/g, ' ')))

    for (const line of text.split('\n').filter((each) => each !== '-- ' && !each.startsWith('https://'))) {
      for (const piece of line.split(/: {1,}/)) expect(shown).toContain(wordsOf(piece).replace(/:$/, ''))
    }
    for (const url of urlsIn({ html })) expect(text).toContain(url)
  })

  test('loads no remote content and has no empty part', () => {
    expect(html).not.toMatch(/<script|<img|<link/)
    expect(text).not.toMatch(/undefined|null|NaN|\n\n\n/)
  })
})

test.each(['signIn', 'signUp', 'confirmPayout'])('%s shows its code before its text, 32 pixels high', (name) => {
  const { text, html } = found(name)

  expect(text.split('\n\n')[1]).toBe('123456')
  expect(html).toMatch(/font-size:32px[^>]*>123456</)
  expect(html.indexOf('>123456<')).toBeLessThan(html.indexOf('<p class="ink" '))
})

test.each([
  ['invitation', 'Accept invitation', 'https://payouts.test/p/acme?invitation=id-2'],
  ['payoutFailed', 'View payout', 'https://payouts.test/dashboard/payouts/id-1?environment=live'],
  ['payoutsReturned', 'View payouts', 'https://payouts.test/dashboard/payouts?environment=live'],
  ['firstPayout', 'Review API keys', 'https://payouts.test/dashboard/keys?environment=live'],
  ['topUp', 'View wallet', 'https://payouts.test/dashboard/wallet?environment=live'],
  ['lowBalance', 'Top up', 'https://payouts.test/dashboard/top-up?environment=live'],
  ['verified', 'View verification', 'https://payouts.test/dashboard/verification'],
  ['liveKey', 'Review API keys', 'https://payouts.test/dashboard/keys?environment=live'],
])('the button in %s is "%s"', (name, label, url) => {
  const [, href, shown] = /<a class="button" href="([^"]*)"[^>]*>([^<]*)</.exec(found(name).html) ?? []

  expect([unescaped(href ?? ''), shown]).toEqual([url, label])
})

test('a failed payout is listed by amount and name with its reason, without the machine-readable code', () => {
  const { text } = found('payoutFailed')

  expect(text).toContain('£1,120.00 to Ada Lovelace\nAccount ending 5678\nThe bank rejected the account details.\n')
  expect(text).not.toContain('invalid_account')
})

test('the email about a declined verification states whether the business can apply again', () => {
  const declined = (canRetry: boolean) =>
    noticeMessage({
      address: 'ada@acme.test',
      sentTo: 'admins',
      partner: 'Acme Ltd',
      verification: 'rejected',
      publicUrl: 'https://payouts.test',
      content: { kind: 'verification', status: 'rejected', reasons: ['No papers.'], canRetry },
    }).text

  expect(declined(true)).toContain('You can apply again.')
  expect(declined(false)).toContain('You can’t apply again.')
})

test('an email about a change of rights advises only what its reader can do', () => {
  for (const name of ['madeViewer', 'removedOther']) expect(found(name).text).toContain('undo it now')
  for (const name of ['madeViewerReader', 'removedReader']) {
    expect(found(name).text).toContain('contact an admin on your team')
  }
})

test('the email to a removed member has no button, because they can no longer open the page', () => {
  expect(found('removedReader').html).not.toContain('class="button"')
  expect(found('removedOther').html).toContain('class="button"')
})

function found(name: string): Message {
  const message = everyMessage()[name]
  if (message === undefined) throw new Error(`there is no mail ${name}`)
  return message
}

function urlsIn({ html }: Pick<Message, 'html'>): string[] {
  return [...html.matchAll(/href="([^"]*)"/g)].map(([, url = '']) => unescaped(url))
}

function unescaped(html: string): string {
  return html.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}

function wordsOf(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
