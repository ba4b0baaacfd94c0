// `npm run migrate` migrates the database at DATABASE_URL, and `npm run -s schema` prints its schema.
import { environment, loadDatabaseUrl } from '../runtime/config/config'
import { openDatabase } from './data-source'
import { migrationReport } from './migrate'
import { describeSchema } from './schema'

async function main(command: string | undefined): Promise<void> {
  const url = loadDatabaseUrl(environment())
  if (command === 'schema') return printSchema(url)
  const { outcome, sentence } = await migrationReport(url)
  const out = outcome === 'migrated' ? process.stdout : process.stderr
  out.write(`${sentence}\n`)
  process.exitCode = outcome === 'migrated' ? 0 : 1
}

async function printSchema(url: string): Promise<void> {
  const db = await openDatabase({ url, poolSize: 1, onError: () => undefined })
  try {
    process.stdout.write(await describeSchema(db))
  } finally {
    await db.close()
  }
}

void main(process.argv[2])
