// Emails to operators about drifts and about faults in the audit chain. They contain IDs and amounts, but no personal
// data.
import { formatDriftText } from '../../domain/controls/drift'
import type { Message } from './code'
import { htmlOf, textOf } from './layout'

interface DriftToReport {
  readonly kind: string
  readonly partner: string
  readonly environment: string
  readonly subject: string
  readonly expected: string
  readonly found: string
}

export function driftMessage({ address, drifts }: { address: string; drifts: readonly DriftToReport[] }): Message {
  const count = drifts.length
  const heading = count === 1 ? 'Reconciliation found a drift' : `Reconciliation found ${count} drifts`
  const paragraphs = [
    'Our books and the bank’s differ, or a payout has not changed for too long. Nothing was corrected automatically. An operator must decide what to do.',
    '`npm run -s ops -- proof list` shows the open drifts and the next step for each kind.',
  ]
  const items = drifts.map(({ kind, partner, environment, subject, expected, found }) => ({
    title: `${kind}, ${partner} ${environment}`,
    lines: [subject, `expected: ${formatDriftText(kind, expected)}`, `found: ${formatDriftText(kind, found)}`],
  }))
  const foot = 'Sent to the address in OPS_EMAIL, once for each drift.'
  const layout = { heading, paragraphs, items, preview: heading, foot }
  return { to: { name: '', address }, subject: heading, text: textOf(layout), html: htmlOf(layout) }
}

interface FaultToReport {
  readonly what: string
  readonly sequence: bigint | null
  readonly table: string | null
  readonly rowId: string | null
}

export function auditMessage({ address, fault }: { address: string; fault: FaultToReport }): Message {
  const heading = 'The audit chain is broken'
  const paragraphs = [
    'The fault is named below. Nothing was corrected automatically. An operator must decide what to do.',
    '`npm run -s ops -- audit verify` describes the fault in a sentence. Keep the chain heads that the worker has logged so far.',
  ]
  const { what, sequence, table, rowId } = fault
  const known = [
    ['Fault', what],
    ['Link', sequence === null ? null : String(sequence)],
    ['Row', table === null ? null : `${table} ${rowId}`],
  ] as const
  const facts = known.flatMap(([name, value]): [string, string][] => (value === null ? [] : [[name, value]]))
  const foot = 'Sent to the address in OPS_EMAIL, once for each fault.'
  const layout = { heading, paragraphs, facts, preview: heading, foot }
  return { to: { name: '', address }, subject: heading, text: textOf(layout), html: htmlOf(layout) }
}
