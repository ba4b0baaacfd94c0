// One sentence on what migrating a database did, or on why it could not be done.
import { migrate } from './migrate'

export interface MigrationReport {
  readonly outcome: 'migrated' | 'failed'
  readonly sentence: string
}

/** Never throws, and never repeats the password of the URL. */
export async function migrationReport(databaseUrl: string | undefined): Promise<MigrationReport> {
  if (!databaseUrl || !/^postgres(ql)?:\/\//.test(databaseUrl) || !URL.canParse(databaseUrl)) {
    return failed('DATABASE_URL must be set to a URL that starts with postgres:// or postgresql://.')
  }
  const { host, pathname } = new URL(databaseUrl)
  const name = `${host}${pathname}`
  try {
    const ran = await migrate(databaseUrl)
    const what = ran.length === 0 ? 'was up to date already' : `is up to date now: ran ${ran.join(', ')}`
    return { outcome: 'migrated', sentence: `The database ${name} ${what}.` }
  } catch (error) {
    return failed(`The database ${name} could not be migrated: ${reasonOf(error)}.`)
  }
}

function failed(sentence: string): MigrationReport {
  return { outcome: 'failed', sentence }
}

// Node reports a host with several addresses as an AggregateError whose own message is empty.
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}
