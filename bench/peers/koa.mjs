// Three plain Koa servers: one that only answers, one that also writes the rows, and one that also pays while the
// request waits.
import { randomUUID } from 'node:crypto'
import { claim, pay, record, serve } from './work.mjs'

const variants = {
  static: async () => ({ id: randomUUID(), isNew: true, status: 'pending' }),
  rows: async (order) => ({ ...(await claim(order)), status: 'pending' }),
  inline: async (order) => {
    const { id, isNew } = await claim(order)
    // A crash from here on leaves a debited payout that no process resumes.
    if (isNew) await record(id, await pay(id))
    return { id, isNew, status: 'processing' }
  },
}

await serve(variants[process.argv[2]])
