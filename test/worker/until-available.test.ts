// Waiting for a server: each reason is logged once, and success or a stop request ends the wait.
import { expect, test } from '@jest/globals'
import type { Log } from '../../runtime/log'
import { untilAvailable } from '../../worker/until-available'
import { keptLog } from '../support/kept-logs'

test('an unavailable server is retried until it answers, and each reason is logged once', async () => {
  const { log, messages } = aLog()
  const answers = ['refused', 'refused', 'starting up', 'starting up', null]
  const attempt = async () => {
    const reason = answers.shift()
    if (reason) throw new Error(reason)
    return 'connected'
  }

  expect(await untilAvailable('PostgreSQL', attempt, { log, signal: new AbortController().signal })).toBe('connected')
  expect(messages).toEqual([
    'PostgreSQL is not available yet; retrying: refused',
    'PostgreSQL is not available yet; retrying: starting up',
    'PostgreSQL is available',
  ])
})

test('a server that answers immediately is not logged', async () => {
  const { log, messages } = aLog()

  expect(await untilAvailable('Temporal', async () => 1, { log, signal: new AbortController().signal })).toBe(1)
  expect(messages).toEqual([])
})

test('a stop request ends the wait', async () => {
  const { log } = aLog()
  const stop = new AbortController()
  const attempt = async () => {
    stop.abort()
    throw new Error('refused')
  }

  await expect(untilAvailable('Temporal', attempt, { log, signal: stop.signal })).rejects.toThrow(/abort/)
})

function aLog(): { log: Log; messages: string[] } {
  const messages: string[] = []
  const write = (line: string) => void messages.push(JSON.parse(line).msg)
  return { log: keptLog({ level: 'info', write }), messages }
}
