// The recipient as the bank knows them: found, or registered, which moves no money and may be repeated.
import { randomUUID } from 'node:crypto'
import { detailsHash, findBankRecipient, rememberBankRecipient } from '../../../db/payouts/recipients/at-bank'
import { openRecipient } from '../../../db/payouts/recipients/sealed'
import type { StepRow } from '../../../db/payouts/steps'
import { assert } from '../../../domain/assert'
import type { Registered } from '../../../rail/rail'
import { simulatedRefs } from '../../../rail/simulated'
import type { PayoutDeps } from '../../bind'
import { type AnswerTime, whileBusy } from './answer-time'

/** Null when its details are wiped: the payout is over. */
export async function registerRecipient(
  { db, keyring, rails, clock }: PayoutDeps,
  row: StepRow,
  time: AnswerTime,
): Promise<Registered | null> {
  const details = await openRecipient(db, keyring, row.id)
  if (details === null) return null
  const { customerRef } = refsOf(row)
  const hash = detailsHash(keyring, details)
  const known = await findBankRecipient(db, customerRef, hash)
  if (known !== null) return { outcome: 'registered', recipientRef: known }

  const asked = { customerRef, recipient: details, endBy: time.endBy }
  // Each call has a key of its own: a bank may repeat a refusal under its key. It recognises an account that it has by its details.
  const register = () => rails[row.rail].registerRecipient({ ...asked, key: randomUUID() })
  const registered = await whileBusy(time, register)
  if (registered.outcome === 'registered') {
    await rememberBankRecipient(db, { customerRef, hash, recipientRef: registered.recipientRef, at: clock.now() })
  }
  return registered
}

export function refsOf(row: StepRow): { customerRef: string; walletRef: string } {
  if (row.rail === 'simulated') return simulatedRefs
  assert(row.customerRef !== null && row.walletRef !== null, 'a connected wallet must know its names at the bank')
  return { customerRef: row.customerRef, walletRef: row.walletRef }
}
