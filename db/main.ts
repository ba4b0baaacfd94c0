// `npm run migrate`: brings the database of DATABASE_URL up to date and says in one line what it did.
import { environment, loadDatabaseUrl } from '../runtime/config/config'
import { migrationReport } from './migration-report'

async function main(): Promise<void> {
  const { outcome, sentence } = await migrationReport(loadDatabaseUrl(environment()))
  const out = outcome === 'migrated' ? process.stdout : process.stderr
  out.write(`${sentence}\n`)
  process.exitCode = outcome === 'migrated' ? 0 : 1
}

void main()
