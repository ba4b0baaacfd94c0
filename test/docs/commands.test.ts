// Every ops command in the documentation exists. stuck-payout.md lists the sentences of payout explain about the
// next step, and web-ui.md names every search attribute, workflow, payout step and Schedule.
import { expect, test } from '@jest/globals'
import type { PartnerRow } from '../../db/partners/partners'
import { type CaseRow, openCase } from '../../db/payouts/cases/cases'
import { findPayoutStory, type StoryPayout } from '../../db/payouts/story'
import { assert } from '../../domain/assert'
import { readArguments } from '../../ops/arguments'
import { nameOf } from '../../ops/command'
import { allCommands } from '../../ops/commands'
import { exampleId } from '../../ops/options'
import { nextSteps } from '../../ops/payouts/explain/next'
import { systemClock } from '../../runtime/clock'
import { payoutSearchAttributes, scheduleIds } from '../../workflows/names'
import { aPartner, aPayoutRow } from '../support/api/fixtures'
import { useDatabase } from '../support/db/database'
import { read, repositoryFiles } from '../support/source-imports'
import { wordsOf } from '../support/terminal'

const commands = allCommands()

const db = useDatabase()
const pages = repositoryFiles().filter((file) => /^(README|docs\/.+)\.md$/.test(file))

test('every ops command line in the documentation parses', () => {
  const lines = pages.flatMap((page) => commandLinesOf(read(page)).map((line) => ({ page, line })))

  const refused = lines.flatMap(({ page, line }) => {
    const reading = readArguments(commands, wordsOf(filledIn(line)))
    return reading.outcome === 'refused' ? [{ page, line, why: reading.message }] : []
  })

  expect(lines.length).toBeGreaterThan(80)
  expect(refused).toEqual([])
})

test('every command and option that the text names exists', () => {
  const named = pages.flatMap((page) => mentionsIn(read(page)).map((words) => ({ page, words })))

  const unknown = named.filter(({ words }) => {
    const command = commands.find((each) => `${words.join(' ')} `.startsWith(`${nameOf(each)} `))
    const options = words.flatMap((word) => /^\[?--([a-z-]+)/.exec(word)?.slice(1) ?? [])
    return command === undefined || options.some((name) => name !== 'json' && !(name in command.options))
  })

  expect(named.length).toBeGreaterThan(60)
  expect(unknown).toEqual([])
})

test('stuck-payout.md lists exactly the sentences that payout explain prints about a stuck payout', async () => {
  const partner = await aPartner({ db, clock: systemClock })
  const { id } = await aPayoutRow({ db, clock: systemClock }, partner, { status: 'pending', submitStartedAt: null })
  const story = await findPayoutStory(db, id)
  const traced = await aTrace(partner)
  assert(story !== null && traced.outcome === 'opened', 'both were stored')
  const [, ...rows] = read('docs/operations/stuck-payout.md').split('| it prints |')
  const printed = rows.flatMap((table) => [...(table.split('\n\n')[0] ?? '').matchAll(/^\| (`+)(.+?)\1 \|/gm)])
  const patterns = printed.map(([, , text = '']) => new RegExp(`^${text.split('…').map(escaped).join('.+')}`))

  const sentences = situations({ payout: story.payout, trace: traced.case }).flatMap(nextSteps)

  expect(patterns.length).toBeGreaterThan(15)
  expect(sentences.filter((each) => !patterns.some((pattern) => pattern.test(each)))).toEqual([])
  expect(patterns.filter((pattern) => !sentences.some((each) => pattern.test(each)))).toEqual([])
})

test('web-ui.md names every search attribute, workflow, step and Schedule', () => {
  const page = read('docs/operations/web-ui.md')
  const exported = [...read('workflows/index.ts').matchAll(/^export \{ (.+) \}/gm)].flatMap(([, all = '']) =>
    all.split(', '),
  )
  const [, contract = ''] =
    /^export interface PayoutActivities \{(.+?)^\}/ms.exec(read('workflows/payouts/payout.ts')) ?? []
  const steps = [...contract.matchAll(/^ {2}(\w+)\(/gm)].map(([, step = '']) => step)
  const attributes = Object.values(payoutSearchAttributes).map(({ name }) => name)
  // The page lists a workflow that a Schedule starts under the Schedule's ID.
  const workflows = exported.filter((name) => !(name in scheduleIds))

  const missing = [...attributes, ...workflows, ...steps, ...Object.values(scheduleIds)].filter(
    (name) => !page.includes(`\`${name}\``),
  )

  expect([workflows.length, steps.length].every((count) => count > 5)).toBe(true)
  expect(missing).toEqual([])
})

async function aTrace(partner: PartnerRow) {
  const { id: payoutId } = await aPayoutRow({ db, clock: systemClock }, partner)
  const at = systemClock.now()
  const wanted = { payoutId, kind: 'trace', reason: 'late', openedBy: 'ops:ada', openedAt: at, dueAt: at } as const
  return db.transaction((tx) => openCase(tx, wanted))
}

/** The command lines in code blocks and sentences, without trailing comments or pipes. */
function commandLinesOf(text: string): string[] {
  const inline = inlineCode(text)
  // The tour has a short name for the program.
  const blocks = [...text.matchAll(/^```\w*\n([^]*?)^```/gm)].flatMap(([, block = '']) =>
    block.split('\n').map((line) => line.replace(/(^|\{ )ops /, '$1npm run -s ops -- ')),
  )
  return [...inline, ...blocks].flatMap((code) => {
    const [, line = ''] = /(?:npm run -s ops --|npx payouts|^payouts) ([^|#;)]+)/.exec(code) ?? []
    return line === '' || line.startsWith('…') ? [] : [line.trim()]
  })
}

/** Inline code that starts with a command's noun and a verb, split into words. */
function mentionsIn(text: string): string[][] {
  const nouns = new Set(commands.map(({ noun }) => noun))
  const all = inlineCode(text).map((code) => wordsOf(code.replace(/^ops /, '')))
  return all.filter(([noun = '', verb]) => nouns.has(noun) && /^[a-z]/.test(verb ?? ''))
}

/** All inline code on a page. A line break inside counts as a space. */
function inlineCode(text: string): string[] {
  const prose = text.replaceAll(/^```[^]*?^```/gm, '')
  return [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll(/\s+/g, ' '))
}

/** The line with a value for each placeholder, including the optional parts. */
function filledIn(line: string): string {
  const values: Readonly<Record<string, string>> = { rate: '0.79', month: '2026-10', amount: '10.00', ref: 'tr_1' }
  return line
    .replaceAll(/[[\]]/g, '')
    .replaceAll(/<([\w ]+)>/g, (_, name: string) => values[name] ?? exampleId)
    .replaceAll('$ID', exampleId)
    .replaceAll('$MONTH', '2026-10')
}

/** One situation for every case that nextSteps distinguishes. */
function situations({ payout, trace }: { payout: StoryPayout; trace: CaseRow }): Parameters<typeof nextSteps>[0][] {
  const at = systemClock.now()
  const running = { lines: [], status: 'RUNNING', wakesAt: at, waitsFor: 'the bank to deliver it', pending: [] }
  const step = { name: 'resolveSubmit', attempt: 3, lastFailure: 'no answer', nextAt: at }
  const paused = { environment: 'sandbox', pausedAt: at, pausedBy: 'ops:ada', reason: null } as const
  const rail = { ...paused, unsent: 1, unsentPence: 1n, unconfirmed: 0, unconfirmedPence: 0n }
  const closed = { closedAt: at, submitStartedAt: at }
  const failed = { attempt: payout.attempt, operation: 'submit_transfer', failures: 4, firstAt: at, lastAt: at }
  const limits = { repeatForMs: 1, listLagMs: 1 }
  const base = { payout, failedCalls: [], workflow: running, rail: null, cases: [], limits }
  const of = (change: Partial<StoryPayout>) => ({ ...base, payout: { ...payout, ...change } })
  return [
    base,
    { ...base, workflow: null },
    { ...base, workflow: { ...running, status: 'TERMINATED' } },
    { ...base, workflow: { ...running, wakesAt: null, waitsFor: null } },
    { ...base, workflow: { ...running, pending: [step] } },
    { ...base, failedCalls: [{ ...failed, cause: 'HTTP 500' }] },
    { ...base, failedCalls: [{ ...failed, cause: 'timeout' }] },
    { ...base, rail },
    of({ isPartnerActive: false }),
    of({ submitStartedAt: at }),
    { ...of({ submitStartedAt: at }), rail },
    of({ transferRef: 'tr-1', status: 'processing' }),
    of({ transferRef: 'tr-1', status: 'failed' }),
    { ...of({ ...closed, status: 'completed' }), cases: [trace] },
    ...(['failed', 'cancelled', 'returned'] as const).map((status) => of({ ...closed, status })),
    of({ releasedAt: at, verdict: 'payout_not_created' }),
    of({ attention: 'outcome_unknown' }),
  ]
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
