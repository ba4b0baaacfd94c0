// The email with an invoice: the same text in both formats, no markup from names, and delivery to a real inbox.
import { expect, test } from '@jest/globals'
import type { InvoiceDocument } from '../../domain/invoices/document'
import { invoicePdf } from '../../mail/documents/invoice-pdf'
import { createMailer, type Mail } from '../../mail/mailer'
import { invoiceMessage } from '../../mail/messages/invoice'
import { anInbox } from '../support/mail/an-inbox'
import { aLine, anInvoice } from '../support/mail/an-invoice'

test('the email states the purpose, the amount, the due date and the payment details', () => {
  const { subject, text, to, attachments } = messageFor({})

  expect(subject).toBe('Invoice INV-2026-000123 from Example Payouts Ltd for October 2026')
  expect(to).toEqual({ name: 'Acme Marketplace Ltd', address: 'billing@acme.test' })
  expect(attachments).toMatchObject([{ name: 'INV-2026-000123.pdf', type: 'application/pdf' }])
  expect(text).toBe(`Your invoice for October 2026

Hello Acme Marketplace Ltd,

Here is invoice INV-2026-000123, attached as a PDF. Please pay £1,420.06 by 15 November 2026.

Invoice:           INV-2026-000123
Period:            October 2026
Total:             £1,420.06
Due:               15 November 2026
Pay to:            Example Bank plc
                   Sort code 00-00-00
                   Account number 01234567
Payment reference: INV-2026-000123

View invoices:
https://payouts.test/dashboard/invoices

--${' '}
Example Payouts Ltd, 1 Example Street, London, EC1A 1AA, United Kingdom. Questions about this invoice: billing@example.test
`)
})

test('the HTML has the same text as the plain text', () => {
  const { text, html } = messageFor({})
  const shown = html.replace(/<style>[\s\S]*?<\/style>/, '')

  for (const sentence of text.split(/:?\n+|: +/).filter((piece) => piece.trim() && !piece.startsWith('--'))) {
    expect(shown).toContain(sentence.trim())
  }
  expect(html).not.toMatch(/<script|<img|<link/)
  expect(html.match(/http[^"]*/g)).toEqual(['https://payouts.test/dashboard/invoices'])
})

test('the email for a total of zero has no payment request, and names the remaining credit', () => {
  const lines = [aLine(), aLine({ kind: 'credit', unitAmountMicropounds: 5_000_000n, amountPence: 500n })]
  const { text } = messageFor({ lines })

  expect(text).toContain('There’s nothing to pay. £3.91 of credit is carried forward to your next invoice.')
  expect(text).not.toMatch(/Please pay|Pay to|Due/)
})

test('the email for an invoice that is already paid has no payment request', () => {
  const { text } = messageFor({ status: 'paid', paidOn: '2026-11-02' })

  expect(text).toContain('There’s nothing to pay: this invoice is paid.')
  expect(text).not.toMatch(/Please pay|Pay to|Due/)
})

test('a void invoice carries no credit forward', () => {
  const lines = [aLine(), aLine({ kind: 'credit', unitAmountMicropounds: 5_000_000n, amountPence: 500n })]
  const { text } = messageFor({ lines, status: 'void', voidedOn: '2026-11-12' })

  expect(text).toContain('There’s nothing to pay: this invoice is void.')
  expect(text).not.toContain('carried forward')
})

test('an invoice that replaces a void one names it, and states that the void one must not be paid', () => {
  const { text } = messageFor({ replaces: 'INV-2026-000120' })

  expect(text).toContain('It replaces INV-2026-000120, which is void. Please don’t pay that one.')
  expect(text).toMatch(/^Replaces: +INV-2026-000120$/m)
})

test('a name is shown as text, not as markup', () => {
  const { html } = messageFor({ buyer: { name: `"'><script>alert(1)</script>`, addressLines: [] } })

  expect(html).toContain('&#34;&#39;&#62;&#60;script&#62;alert(1)&#60;/script&#62;')
  expect(html).not.toContain('<script')
})

test('an email that is rendered and sent over SMTP arrives in the inbox with its PDF unchanged', async () => {
  const inbox = await anInbox()
  const mailer = createMailer({ smtpUrl: inbox.smtpUrl, from: { name: 'Billing', address: 'billing@example.test' } })
  const pdf = await invoicePdf(anInvoice())

  const sent = await mailer.send(messageFor({}, pdf))
  const [message] = await inbox.messages()
  const attached = await inbox.bytes(message?.attachments[0]?.path ?? '')
  mailer.close()
  await inbox.remove()

  expect(sent).toEqual({ outcome: 'sent' })
  expect(message).toMatchObject({
    message_id: '<invoice-1@example.test>',
    subject: 'Invoice INV-2026-000123 from Example Payouts Ltd for October 2026',
    text: expect.stringContaining('Please pay £1,420.06'),
    html: expect.stringContaining('Please pay £1,420.06'),
  })
  expect(attached.equals(pdf)).toBe(true)
})

function messageFor(change: Partial<InvoiceDocument>, pdf: Buffer = Buffer.from('%PDF')): Mail {
  const document = anInvoice(change)
  const publicUrl = 'https://payouts.test'
  return invoiceMessage({
    document,
    pdf,
    address: 'billing@acme.test',
    messageId: '<invoice-1@example.test>',
    publicUrl,
  })
}
