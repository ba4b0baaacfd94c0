// Rotation of secret keys: shows how many rows use each key, and reseals data with the current key.
import { fieldsOfStoredOrder } from '../../api/payouts/request/order'
import { type KeyUse, keyringUse } from '../../db/controls/keyring-use'
import { firstPayout, resealBatch } from '../../db/controls/reseal'
import type { Keyring } from '../../db/keyring'
import { resealNotes } from '../../db/payouts/cases/notes'
import { type Command, defineCommand, done } from '../command'
import { table } from '../print'

const status = defineCommand('keyring status', {
  about: 'Shows how many rows still need each key of SECRET_KEYS, and which keys can be removed.',
  async run(ops) {
    const keyring = ops.keyring()
    const data = statesOf(keyring, await keyringUse(ops.db, ops.clock.now()))
    const header = ['KEY', 'STATE', 'RECIPIENTS', 'NOTES', 'PAYOUTS', 'ERASED PAYOUTS', 'API KEYS', 'CODES AND MAILS']
    const rows = data.map((each) => Object.values(each).map(String))
    return done({ object: 'list', data }, table(header, rows))
  },
})

const reseal = defineCommand('keyring reseal', {
  about:
    'Reseals bank details, notes, fingerprints and account hashes under the first key of SECRET_KEYS. Can be repeated, and can run while the system is up.',
  async run(ops) {
    const keyring = ops.keyring()
    const total = { written: 0, left: 0 }
    for (let after: string | null = firstPayout; after !== null; ) {
      const batch = await resealBatch(ops.db, keyring, { after, limit: batchSize, fieldsOf: fieldsOfStoredOrder })
      total.written += batch.written
      total.left += batch.left
      if (batch.next !== null) ops.say(`${total.written} resealed so far.`)
      after = batch.next
    }
    let notes = 0
    for (let after: string | null = firstPayout; after !== null; ) {
      const batch = await resealNotes(ops.db, keyring, { after, limit: batchSize })
      notes += batch?.written ?? 0
      total.left += batch?.left ?? 0
      after = batch?.next ?? null
    }
    const { id } = keyring.current('seal')
    const rest = total.left === 0 ? '' : ` ${total.left} could not be opened or verified, and still use an older key.`
    return done(
      { key: id, ...total, notes },
      `${total.written} payouts and ${notes} notes were resealed under ${id}.${rest}`,
    )
  },
})

export const commands: readonly Command[] = [status, reseal]

const batchSize = 500

/** Includes keys that rows still use but that SECRET_KEYS lacks. Data sealed with such a key cannot be decrypted. */
function statesOf(keyring: Keyring, uses: readonly KeyUse[]) {
  const listed = keyring.all('seal').map(({ id }) => id)
  const ids = [...new Set([...listed, ...uses.map(({ keyId }) => keyId)])]
  return ids.map((id) => {
    const use = uses.find(({ keyId }) => keyId === id)
    const { recipients = 0, notes = 0, payouts = 0, erasedPayouts = 0, apiKeys = 0, codesAndMails = 0 } = use ?? {}
    const counts = {
      recipients,
      notes,
      payouts,
      erased_payouts: erasedPayouts,
      api_keys: apiKeys,
      codes_and_mails: codesAndMails,
    }
    const needed = recipients + notes + payouts + apiKeys + codesAndMails
    return { key: id, state: stateOf(id, listed, needed), ...counts }
  })
}

type State = 'current' | 'needed' | 'may_go' | 'missing' | 'gone'

/**
 * A key may be removed even if payouts with erased bank details used it. Without the key, a retry of such a payout is
 * refused and never paid.
 */
function stateOf(id: string, listed: readonly string[], needed: number): State {
  if (!listed.includes(id)) return needed > 0 ? 'missing' : 'gone'
  if (id === listed[0]) return 'current'
  return needed > 0 ? 'needed' : 'may_go'
}
