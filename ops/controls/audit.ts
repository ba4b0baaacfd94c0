// Verifies the audit chain, to detect changes to sealed rows.
import { type FirstFault, type Verified, verifyAudit } from '../../db/controls/audit/verify'
import { type Command, defineCommand, done, foundProblem } from '../command'
import { hash, optional } from '../options'
import { fields } from '../print'

const verify = defineCommand('audit verify', {
  about:
    'Verifies the audit chain, names the first row that was changed, removed or moved, and counts unsealed rows; exits with 1 on a fault.',
  options: { head: optional(hash, 'A head that an earlier `audit verify` printed; it must still be in the chain.') },
  async run({ db }, given) {
    const verified = await verifyAudit(db, given.head ?? null)
    const shown = present(verified)
    const { fault } = verified
    const { table, row_id, what, sequence, last_good, ...facts } = shown
    if (fault === null) return done(shown, `The audit chain is intact.\n${fields(facts)}`)
    const { links_that_hold, unsealed_tail, archived_rows } = facts
    const known = { links_that_hold, last_good, unsealed_tail, archived_rows, table, row_id, what, sequence }
    return foundProblem(shown, `${sentenceOf(fault, verified.links)}\n${fields(known)}`)
  },
})

export const commands: readonly Command[] = [verify]

function present({ links, head, fault, archived, unsealed }: Verified) {
  const tail = Object.values(unsealed).reduce((sum, count) => sum + count, 0)
  return {
    links_that_hold: String(links),
    // Null on a fault, so that no script stores the last good hash as the new head.
    head: fault === null ? head : null,
    last_good: fault === null ? null : head,
    unsealed_tail: String(tail),
    archived_rows: String(archived),
    what: fault?.what ?? null,
    sequence: fault?.sequence?.toString() ?? null,
    table: fault?.table ?? null,
    row_id: fault?.rowId ?? null,
  }
}

function sentenceOf({ what, sequence, table, rowId }: FirstFault, links: bigint): string {
  switch (what) {
    case 'row_changed':
      return `The row ${rowId} of ${table} was changed after it was sealed (link ${sequence}).`
    case 'row_missing':
      return `The row ${rowId} of ${table} was removed after it was sealed (link ${sequence}).`
    case 'link_changed':
      return `Link ${sequence} of the chain, about the row ${rowId} of ${table}, was rewritten or moved.`
    case 'head_missing':
      return `The chain ends after ${links} links without the given head: it was truncated or rebuilt.`
    case 'row_unsealed':
      return `Row ${rowId} of ${table} is not in any link, although later rows are: it was inserted among sealed rows.`
    case 'link_missing':
      return `Link ${sequence} of the chain was removed.`
  }
}
