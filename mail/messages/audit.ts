// Mails operators about a fault in the audit chain: the row or link, without personal data.
import type { Message } from './code'
import { htmlOf, textOf } from './layout'

interface ToldFault {
  readonly what: string
  readonly sequence: bigint | null
  readonly table: string | null
  readonly rowId: string | null
}

export function auditMessage({ address, fault }: { address: string; fault: ToldFault }): Message {
  const heading = 'The audit chain does not hold'
  const paragraphs = [
    'Something that was booked, charged or changed is no longer as it was sealed. Nothing was repaired: an operator has to look.',
    'npm run -s ops -- audit verify says the same in a sentence. Keep the heads that the worker’s log has shown before.',
  ]
  const { what, sequence, table, rowId } = fault
  const known = [
    ['Fault', what],
    ['Link', sequence === null ? null : String(sequence)],
    ['Row', table === null ? null : `${table} ${rowId}`],
  ] as const
  const facts = known.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]]))
  const foot = 'Sent to the address of OPS_EMAIL, once for each fault.'
  const layout = { heading, paragraphs, facts, preview: heading, foot }
  return { to: { name: '', address }, subject: heading, text: textOf(layout), html: htmlOf(layout) }
}
