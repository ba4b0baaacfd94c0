// The CI workflow runs the same command as developers, on the oldest supported Node, with read-only permissions.
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { read } from '../support/source-imports'

const workflow = parse(read('.github/workflows/ci.yml'))
const steps: Readonly<Record<string, string>>[] = workflow.jobs.test.steps

test('the workflow runs .ci/run, has read-only permissions, and pins each action to a commit', () => {
  const actions = steps.flatMap(({ uses }) => uses ?? [])

  expect(steps.flatMap(({ run }) => run ?? [])).toEqual(['.ci/run'])
  expect(workflow.permissions).toEqual({ contents: 'read' })
  expect(actions.length).toBeGreaterThan(0)
  for (const action of actions) expect(action).toMatch(/@[0-9a-f]{40}$/)
})

test('.nvmrc names the oldest major version that package.json supports', () => {
  const { engines, devDependencies } = JSON.parse(read('package.json'))
  const major = read('.nvmrc').trim()

  expect(engines.node).toMatch(new RegExp(`^>=${major}\\.`))
  expect(devDependencies['@types/node']).toMatch(new RegExp(`^${major}\\.`))
})
