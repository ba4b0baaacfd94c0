// Two builds of the worker under load. The new build gets a share of the work, loses it, and then gets all of
// it. Each payout is paid once.
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Part } from '../../support/system/part'
import { underLoad } from '../../support/system/under-load'
import { openWorld, type World } from '../../support/system/world'
import { until } from '../../support/until'

interface Versions {
  readonly current: string | null
  readonly ramping: { readonly build: string; readonly percent: number } | null
  readonly versions: readonly { readonly build: string; readonly work_percent: number }[]
}

const dist = join(__dirname, '../../../dist')
const nextVersion = '9.9.9'

let world: World
let folder = ''
let next: Part
let [oldBuild, newBuild] = ['', '']

beforeAll(async () => {
  folder = anotherBuild()
  const workerMains = ['worker/main.js', relative(dist, join(folder, 'dist/worker/main.js'))]
  world = await openWorld({ env: { WORKER_VERSIONING: 'on' }, workerMains })
  const [, second] = world.workers
  if (second === undefined) throw new Error('the new build is missing')
  next = second
  const { versions } = await until('both builds have polled', async () => {
    const listed: Versions = await world.ops('worker', 'versions')
    return listed.versions.length === 2 ? listed : null
  })
  newBuild = versions.find(({ build }) => build.startsWith(nextVersion))?.build ?? ''
  oldBuild = versions.find(({ build }) => build !== newBuild)?.build ?? ''
})

afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

test('a new build gets no work until it is promoted, and logs that', async () => {
  const { current, ramping, versions }: Versions = await world.ops('worker', 'versions')

  expect({ current, ramping }).toEqual({ current: null, ramping: null })
  expect(versions.map(({ work_percent: percent }) => percent)).toEqual([0, 0])
  expect(next.output()).toContain('this build gets no work until an operator runs `ops worker promote`')
  await expect(world.ops('worker', 'promote', '0.0.1+none')).rejects.toThrow('No worker of build 0.0.1+none has run')
  await expect(world.ops('worker', 'rollback')).rejects.toThrow('No build was current before')
})

test('a build can be ramped up, rolled back and promoted under load, and no payout is lost, paid twice or stuck', async () => {
  await world.ops('worker', 'promote', oldBuild)
  await world.settled((await world.pay()).body.id)

  await world.ops('worker', 'ramp', newBuild, '--percent', '50')
  const ramped = underLoad(world, 20)
  await newBuildHas(1)
  const ended: Versions = await world.ops('worker', 'rollback')
  await next.stop()
  const rampedAnswers = await ramped.done()
  await world.allSettled(rampedAnswers)

  await next.start()
  await world.ops('worker', 'promote', newBuild)
  const before = await newBuildHas(0)
  const promoted = underLoad(world, 20)
  await newBuildHas(before + 1)
  const returned: Versions = await world.ops('worker', 'rollback')
  await next.kill()
  const promotedAnswers = await promoted.done()
  await world.allSettled(promotedAnswers)

  expect([ended.current, ended.ramping, returned.current]).toEqual([oldBuild, null, oldBuild])
  const rows = await world.allSettled([...rampedAnswers, ...promotedAnswers])
  expect(rows.map(({ status }) => status)).toEqual(Array(40).fill('completed'))
  for (const { id } of rows) expect(await world.transfersOf(id)).toHaveLength(1)
})

/** Copies the built code under another version, like the next release. */
function anotherBuild(): string {
  const made = mkdtempSync(join(tmpdir(), 'payouts-build-'))
  cpSync(dist, join(made, 'dist'), { recursive: true })
  symlinkSync(join(dist, '../node_modules'), join(made, 'node_modules'))
  writeFileSync(join(made, 'package.json'), JSON.stringify({ version: nextVersion }))
  return made
}

/** Resolves with the number of the new build's workflows once there are at least `least`. */
function newBuildHas(least: number): Promise<number> {
  const query = `TemporalWorkerDeploymentVersion = '${world.queuePrefix}:${newBuild}'`
  return until('the new build works', async () => {
    const { count } = await world.temporal.workflow.count(query)
    return count >= least ? count : null
  })
}
