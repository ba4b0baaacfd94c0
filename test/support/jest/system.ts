// What the set-up started, for the tests that use it. One variable passes it from Jest's parent to its workers.

export interface TestSystem {
  readonly databaseUrl: string
  readonly temporalAddress: string
  readonly workflowBundlePath: string
  /** Where the logs of this run are kept until its end. */
  readonly logsFolder: string
}

const variable = 'PAYOUTS_TEST_SYSTEM'

export function announce(system: TestSystem): void {
  process.env[variable] = JSON.stringify(system)
}

export function testSystem(): TestSystem {
  const announced = process.env[variable]
  if (announced === undefined) throw new Error('The test set-up has not run.')
  return JSON.parse(announced)
}

/** Migrated once, and copied for each test file. */
export const templateDatabase = 'template_payouts'

export function withDatabase(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
