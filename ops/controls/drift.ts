// Operator decisions about drifts: accept one that is explained, or reopen an accepted one.
import { acceptDrift, type DriftToDecide, lockDrift, reopenDrift } from '../../db/controls/proof/drifts'
import { formatDriftText } from '../../domain/controls/drift'
import { type Answer, type Command, defineCommand, done, refused } from '../command'
import { type Ops, recordChange } from '../connect'
import { exampleId, reason, required, uuid } from '../options'

const options = {
  drift: required(uuid, 'The ID of the drift, from `proof list`; a changed drift has a new ID.'),
  reason: required(reason, 'The reason, without names or account numbers.'),
}

const accept = defineCommand('proof accept', {
  about: 'Accepts an explained drift: it raises no alert while it stays the same. Nothing is booked.',
  options,
  bare: 'drift',
  example: ['--drift', exampleId, '--reason', 'The bank moved it back by hand, ticket 4711'],
  run: (ops, given) => decide(ops, { ...given, action: 'accept' }),
})

const reopen = defineCommand('proof reopen', {
  about:
    'Reopens an accepted drift that is not explained after all; its wallet is reconciled again from its first movement.',
  options,
  bare: 'drift',
  example: ['--drift', exampleId, '--reason', 'Ticket 4711 was about another transfer'],
  run: (ops, given) => decide(ops, { ...given, action: 'reopen' }),
})

export const commands: readonly Command[] = [accept, reopen]

interface Decision {
  readonly drift: string
  readonly reason: string
  readonly action: 'accept' | 'reopen'
}

async function decide(ops: Ops, { drift: id, reason, action }: Decision): Promise<Answer> {
  const { db, clock, madeBy: by } = ops
  const isAccepting = action === 'accept'
  const decided = await db.transaction(async (tx): Promise<DriftToDecide | 'not_found' | 'decided_before'> => {
    const drift = await lockDrift(tx, id)
    if (drift === null) return 'not_found'
    if (drift.isAccepted === isAccepting) return 'decided_before'
    const at = clock.now()
    await (isAccepting ? acceptDrift : reopenDrift)(tx, drift, { reason, by, at })
    const { partnerId, environment } = drift
    await recordChange(ops, tx, { partnerId, environment, at, action: `drift.${action}`, detail: id })
    return drift
  })
  if (decided === 'not_found')
    return refused('not_found', `There is no drift ${id}, or it has changed: see \`proof list\`.`)
  if (decided === 'decided_before')
    return refused('invalid_state', `The drift ${id} is ${isAccepting ? 'already accepted' : 'not accepted'}.`)
  const { kind, subject, partner, environment } = decided
  const [expected, found] = [formatDriftText(kind, decided.expected), formatDriftText(kind, decided.found)]
  const text = `The drift ${kind} of ${subject} (${partner} ${environment}) is ${isAccepting ? 'accepted' : 'open again'}.`
  return done(
    { id, outcome: isAccepting ? 'accepted' : 'reopened', kind, partner, environment, subject, expected, found },
    text,
  )
}
