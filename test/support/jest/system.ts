// The servers that the setup started. An environment variable passes their addresses from Jest to its worker processes.

export interface TestSystem {
  readonly databaseUrl: string
  readonly temporalAddress: string
  /** Path of Temporal's CLI. The setup finds and verifies it once. */
  readonly temporalCli: string
  readonly workflowBundlePath: string
  readonly logsFolder: string
  /** RSA private keys for the sandbox banks, because creating one takes up to a second of processor time. */
  readonly webhookKeysPath: string
}

const variable = 'PAYOUTS_TEST_SYSTEM'

export function announce(system: TestSystem): void {
  process.env[variable] = JSON.stringify(system)
}

export function testSystem(): TestSystem {
  const announced = process.env[variable]
  if (announced === undefined) throw new Error('The test setup has not run.')
  return JSON.parse(announced)
}

/** The database that is migrated once and copied for each test file. */
export const templateDatabase = 'template_payouts'

export function withDatabase(serverUrl: string, database: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${database}`
  return url.href
}
