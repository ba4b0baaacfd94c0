// Shows the worker deployment's versions, and decides which of them receive work: promote, ramp and roll back.
import type { Client } from '@temporalio/client'
import {
  type Deployment,
  deploymentNameOf,
  deploymentRefusal,
  findDeployment,
  isUnsupported,
  setCurrent,
  setRamp,
} from '../../runtime/temporal/deployment'
import { type Answer, type Command, defineCommand, done, refused } from '../command'
import type { Ops } from '../connect'
import { type Kind, required } from '../options'
import { table } from '../print'
import { withTemporal } from '../reach-temporal'

/** Denotes workers that run with WORKER_VERSIONING=off. */
const unversioned = 'unversioned'

const build: Kind<string> = {
  placeholder: '<build>',
  rule: 'a build, as `worker versions` shows it, or unversioned',
  parse: (text) => (/^[\w.+-]{1,100}$/.test(text) ? text : undefined),
}

const percentage: Kind<number> = {
  placeholder: '<percent>',
  rule: 'a whole number from 0 to 100',
  parse: (text) => (/^\d{1,3}$/.test(text) && Number(text) <= 100 ? Number(text) : undefined),
}

const versions = defineCommand('worker versions', {
  about: 'Shows the builds of the workers that run with WORKER_VERSIONING=on, and which of them get work.',
  run: (ops) => withDeployment(ops, async (_client, deployment) => shown(deployment)),
})

const promote = defineCommand('worker promote', {
  about: 'Gives all work to a build, and ends a ramp. Running workflows move to it with their next task.',
  options: { build: required(build, 'The build; `unversioned` gives all work to workers with WORKER_VERSIONING=off.') },
  bare: 'build',
  example: ['--build', '1.4.0+0f3a9c21'],
  run: (ops, given) =>
    withDeployment(ops, async (client, deployment) => {
      const unknown = unknownBuild(deployment, given.build)
      if (unknown !== null) return unknown
      return makeCurrent(ops, client, deployment, given.build)
    }),
})

const ramp = defineCommand('worker ramp', {
  about:
    'Gives a build a share of the work; 0 ends the ramp. While the share is unchanged, a workflow stays on its build.',
  options: {
    build: required(build, 'The build.'),
    percent: required(percentage, 'Its share of the work, in per cent.'),
  },
  bare: 'build',
  example: ['--build', '1.4.0+0f3a9c21', '--percent', '10'],
  run: (ops, given) =>
    withDeployment(ops, async (client, deployment) => {
      const unknown = unknownBuild(deployment, given.build)
      if (unknown !== null) return unknown
      const notRamping = given.percent === 0 ? notRampingBuild(deployment, given.build) : null
      if (notRamping !== null) return notRamping
      await setRamp(client, deployment, { build: buildOf(given.build), percent: given.percent, by: ops.madeBy })
      return changed(client, deployment, `Build ${given.build} gets ${given.percent} % of the work.`)
    }),
})

const rollback = defineCommand('worker rollback', {
  about: 'Ends the ramp; without a ramp, gives all work back to the build that was current before.',
  run: (ops) =>
    withDeployment(ops, async (client, deployment) => {
      const { ramping } = deployment
      if (ramping !== null) {
        await setRamp(client, deployment, { build: ramping.build, percent: 0, by: ops.madeBy })
        const stays = deployment.current ?? unversioned
        return changed(
          client,
          deployment,
          `The ramp of build ${ramping.build ?? unversioned} ended: ${stays} gets all work.`,
        )
      }
      const previous = previousOf(deployment)
      if (previous !== null) return makeCurrent(ops, client, deployment, previous)
      return refused(
        'invalid_state',
        'No build was current before: `worker promote unversioned` gives all work to workers with WORKER_VERSIONING=off.',
      )
    }),
})

export const commands: readonly Command[] = [versions, promote, ramp, rollback]

type Work = (client: Client, deployment: Deployment) => Promise<Answer>

/**
 * The server acknowledges a change only after every task queue has received it, which takes seconds on a busy server.
 */
const withinMs = 30_000

async function withDeployment(ops: Ops, work: Work): Promise<Answer> {
  const name = deploymentNameOf(ops.taskQueuePrefix)
  const describeThenWork = async (client: Client): Promise<Answer> => {
    try {
      const deployment = await findDeployment(client, name)
      return deployment === null ? refused('not_found', noVersions) : await work(client, deployment)
    } catch (error) {
      if (isUnsupported(error)) return refused('invalid_state', 'This Temporal server has no worker deployments.')
      const reason = deploymentRefusal(error)
      if (reason === null) throw error
      return refused('invalid_state', `Temporal refuses this: ${reason}.`)
    }
  }
  return withTemporal(ops, describeThenWork, withinMs)
}

const noVersions = 'No worker has run with WORKER_VERSIONING=on: set it for the workers, and start one.'

async function makeCurrent(ops: Ops, client: Client, deployment: Deployment, chosen: string): Promise<Answer> {
  await setCurrent(client, deployment, { build: buildOf(chosen), by: ops.madeBy })
  return changed(client, deployment, `Build ${chosen} gets all work.`)
}

async function changed(client: Client, { name }: Deployment, sentence: string): Promise<Answer> {
  const deployment = await findDeployment(client, name)
  return done(deployment === null ? {} : present(deployment), sentence)
}

function buildOf(chosen: string): string | null {
  return chosen === unversioned ? null : chosen
}

function unknownBuild({ versions: known }: Deployment, chosen: string): Answer | null {
  if (chosen === unversioned || known.some((version) => version.build === chosen)) return null
  return refused('not_found', `No worker of build ${chosen} has run: \`worker versions\` shows the builds.`)
}

/**
 * Refuses if the build is not ramping. Otherwise Temporal would end any current ramp, even that of a build that the
 * operator did not name.
 */
function notRampingBuild({ ramping }: Deployment, chosen: string): Answer | null {
  if (ramping !== null && ramping.build === buildOf(chosen)) return null
  const actual = ramping === null ? 'no build is ramping' : `build ${ramping.build ?? unversioned} is`
  return refused('invalid_state', `Build ${chosen} is not ramping: ${actual}.`)
}

/** The build that was current most recently, apart from the current one. */
function previousOf({ versions: known, current }: Deployment): string | null {
  const earlier = known.filter((version) => version.build !== current && version.lastCurrentAt !== null)
  return earlier.toSorted((a, b) => Number(b.lastCurrentAt) - Number(a.lastCurrentAt))[0]?.build ?? null
}

function shown(deployment: Deployment): Answer {
  const header = ['BUILD', 'STATE', 'WORK', 'FIRST SEEN', 'LAST CURRENT']
  const none = { build: unversioned, state: '', createdAt: null, lastCurrentAt: null }
  const rows = [...deployment.versions, none].map((version) => [
    version.build,
    version.state,
    `${shareOf(deployment, buildOf(version.build))} %`,
    version.createdAt?.toISOString() ?? null,
    version.lastCurrentAt?.toISOString() ?? null,
  ])
  const by = deployment.changedBy === '' ? '' : `\nLast changed by ${deployment.changedBy}.`
  return done(present(deployment), `${table(header, rows)}${by}`)
}

/** Share of the work, in per cent. */
function shareOf({ current, ramping }: Deployment, chosen: string | null): number {
  const percent = ramping?.percent ?? 0
  if (ramping !== null && chosen === ramping.build) return percent
  return chosen === current ? 100 - percent : 0
}

function present(deployment: Deployment) {
  return {
    object: 'worker_deployment',
    name: deployment.name,
    current: deployment.current,
    ramping: deployment.ramping,
    changed_by: deployment.changedBy,
    versions: deployment.versions.map((version) => ({
      build: version.build,
      state: version.state,
      work_percent: shareOf(deployment, version.build),
      created_at: version.createdAt?.toISOString() ?? null,
      last_current_at: version.lastCurrentAt?.toISOString() ?? null,
    })),
  }
}
