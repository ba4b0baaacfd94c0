// Mails operators about drifts between ledger and bank: IDs and amounts, no personal data.
import { saidInUsdc } from '../../domain/controls/drift'
import type { Message } from './code'
import { htmlOf, textOf } from './layout'

interface ToldDrift {
  readonly kind: string
  readonly partner: string
  readonly environment: string
  readonly subject: string
  readonly expected: string
  readonly found: string
}

export function driftMessage({ address, drifts }: { address: string; drifts: readonly ToldDrift[] }): Message {
  const count = drifts.length
  const heading = count === 1 ? 'The proof found a drift' : `The proof found ${count} drifts`
  const paragraphs = [
    'Our books and the bank’s differ, or a payout is silent. Nothing was repaired: an operator has to look.',
    'npm run -s ops -- proof list shows what is there now, and what to do about each kind of drift.',
  ]
  const facts = drifts.map(({ kind, partner, environment, subject, expected, found }): readonly [string, string] => [
    `${kind}, ${partner} ${environment}`,
    [subject, `expected: ${saidInUsdc(kind, expected)}`, `found: ${saidInUsdc(kind, found)}`].join('\n'),
  ])
  const foot = 'Sent to the address of OPS_EMAIL, once for each drift.'
  const layout = { heading, paragraphs, facts, preview: heading, foot }
  return { to: { name: '', address }, subject: heading, text: textOf(layout), html: htmlOf(layout) }
}
