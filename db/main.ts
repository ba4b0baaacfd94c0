// `npm run migrate`: brings the database of DATABASE_URL up to date and says in one line what it did.
import { environment } from '../config'
import { migrate } from './migrate'

async function main(): Promise<void> {
  const { DATABASE_URL: url } = environment()
  if (!url || !/^postgres(ql)?:\/\//.test(url) || !URL.canParse(url)) {
    return giveUp('DATABASE_URL must be set to a URL that starts with postgres:// or postgresql://.')
  }
  const { host, pathname } = new URL(url)
  const name = `${host}${pathname}`
  try {
    const ran = await migrate(url)
    const what = ran.length === 0 ? 'was up to date already' : `is up to date: ran ${ran.join(', ')}`
    process.stdout.write(`The database ${name} ${what}.\n`)
  } catch (error) {
    giveUp(`The database ${name} could not be migrated: ${reasonOf(error)}.`)
  }
}

function giveUp(sentence: string): void {
  process.stderr.write(`${sentence}\n`)
  process.exitCode = 1
}

// Node reports a host with several addresses as an AggregateError whose own message is empty.
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}

void main()
