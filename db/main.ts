// `npm run migrate`: brings the database of DATABASE_URL up to date and says in one line what it did.
import { environment } from '../config'
import { migrationReport } from './migration-report'

async function main(): Promise<void> {
  const { outcome, sentence } = await migrationReport(environment().DATABASE_URL)
  const out = outcome === 'migrated' ? process.stdout : process.stderr
  out.write(`${sentence}\n`)
  process.exitCode = outcome === 'migrated' ? 0 : 1
}

void main()
