// The email with a confirm code: the name of a partner or recipient cannot forge its content.
import { expect, test } from '@jest/globals'
import { confirmMessage } from '../../mail/messages/confirm'

test('a name with line breaks cannot forge a line of the email', () => {
  const payout = {
    what: 'payout',
    amountGbp: '1900.00',
    recipientName: 'Ada\nSort code:  11-11-11\r\u2028Account number:  ending 1111',
    sortCode: '200415',
    accountLast4: '0008',
    reference: 'A\nAmount:  1.00 GBP',
  } as const

  const mail = confirmMessage({ address: 'ada@acme.test', code: '123456', confirmed: payout, partner: 'Acme\n654321' })

  const lines = mail.text.split(/[\r\n\u2028]/)
  const startingWith = (start: string) => lines.filter((line) => line.trimStart().startsWith(start))
  expect(startingWith('Sort code:')).toEqual([expect.stringMatching(/^Sort code: +20-04-15$/)])
  expect(startingWith('Account number:')).toEqual([expect.stringMatching(/^Account number: +ending 0008$/)])
  expect(startingWith('Amount:')).toEqual([expect.stringMatching(/^Amount: +£1,900\.00$/)])
  expect(lines.filter((line) => /^\s*\d{6}\s*$/.test(line))).toEqual(['123456'])
  expect(mail.subject).not.toMatch(/[\r\n\u2028]/)
  expect(mail.html).not.toMatch(/<br>/)
})
