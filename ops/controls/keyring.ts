// The secret keys after a rotation: what older ones are still needed for, and writing it anew under the current one.
import { fieldsOfStored } from '../../api/payouts/request/order'
import { type KeyUse, keyringUse } from '../../db/controls/keyring-use'
import { firstPayout, resealBatch } from '../../db/controls/reseal'
import type { Keyring } from '../../db/keyring'
import { type Command, defineCommand, done } from '../command'
import { table } from '../print'

const status = defineCommand({
  noun: 'keyring',
  verb: 'status',
  about: 'Shows what each key of SECRET_KEYS is still needed for, and which may be taken out.',
  options: {},
  example: [],
  async run(ops) {
    const keyring = ops.keyring()
    const data = statesOf(keyring, await keyringUse(ops.db, ops.clock.now()))
    const header = ['KEY', 'STATE', 'RECIPIENTS', 'PAYOUTS', 'ERASED PAYOUTS', 'API KEYS', 'CODES AND MAILS']
    const rows = data.map((each) => Object.values(each).map(String))
    return done({ object: 'list', data }, table(header, rows))
  },
})

const reseal = defineCommand({
  noun: 'keyring',
  verb: 'reseal',
  about:
    'Writes sealed bank details, and what payouts are recognised by, anew under the first key of SECRET_KEYS. May be repeated, and run beside the system.',
  options: {},
  example: [],
  async run(ops) {
    const keyring = ops.keyring()
    const total = { written: 0, left: 0 }
    for (let after: string | null = firstPayout; after !== null; ) {
      const batch = await resealBatch(ops.db, keyring, { after, limit: batchSize, fieldsOf: fieldsOfStored })
      total.written += batch.written
      total.left += batch.left
      if (batch.next !== null) ops.say(`${total.written} written so far.`)
      after = batch.next
    }
    const { id } = keyring.current('seal')
    const rest =
      total.left === 0 ? '' : ` ${total.left} could not be opened or proved, and keep something under an older key.`
    return done({ key: id, ...total }, `${total.written} payouts were written anew under ${id}.${rest}`)
  },
})

export const keyringCommands: readonly Command[] = [status, reseal]

const batchSize = 500

/** A key that rows name and that SECRET_KEYS does not have is the worst of all, so it is shown too. */
function statesOf(keyring: Keyring, uses: readonly KeyUse[]) {
  const listed = keyring.all('seal').map(({ id }) => id)
  const ids = [...new Set([...listed, ...uses.map(({ keyId }) => keyId)])]
  return ids.map((id) => {
    const use = uses.find(({ keyId }) => keyId === id)
    const { recipients = 0, payouts = 0, erasedPayouts = 0, apiKeys = 0, codesAndMails = 0 } = use ?? {}
    const counts = {
      recipients,
      payouts,
      erased_payouts: erasedPayouts,
      api_keys: apiKeys,
      codes_and_mails: codesAndMails,
    }
    return { key: id, state: stateOf(id, listed, recipients + payouts + apiKeys + codesAndMails), ...counts }
  })
}

type State = 'current' | 'needed' | 'may_go' | 'missing' | 'gone'

/** Payouts whose bank details are erased hold no key back: without it a repeat of theirs is refused, and never paid. */
function stateOf(id: string, listed: readonly string[], needed: number): State {
  if (!listed.includes(id)) return needed > 0 ? 'missing' : 'gone'
  if (id === listed[0]) return 'current'
  return needed > 0 ? 'needed' : 'may_go'
}
