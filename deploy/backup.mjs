// Dumps the database at DATABASE_URL into a folder and deletes old dumps:
//   node deploy/backup.mjs <folder> <days to keep>
// Run every night by deploy/systemd/payouts-backup.timer. Needs pg_dump in the server's version or a newer one.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

const [folder, days] = process.argv.slice(2)
// An interrupted dump ends in .part.
const dumpName = /^payouts-\d{8}T\d{6}Z\.dump(\.part)?$/

if (!folder || !/^[1-9]\d{0,3}$/.test(days ?? '')) fail('Usage: node deploy/backup.mjs <folder> <days to keep>')
dump(join(folder, `payouts-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}.dump`))
deleteOlderThan(Number(days) * 86_400_000)

/** The dump has another name until it is complete, so that every file with the final name can be restored. */
function dump(file) {
  process.umask(0o077)
  const part = `${file}.part`
  const { status, error } = spawnSync('pg_dump', ['--format=custom', `--file=${part}`], {
    env: { ...process.env, ...connection() },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status === 0) return renameSync(part, file)
  rmSync(part, { force: true })
  fail(
    error ? `pg_dump cannot be run: ${error.code}` : `pg_dump failed with exit status ${status}; there is no new dump.`,
  )
}

/**
 * Passes the connection in variables, because any user who can list processes could read the password in an argument.
 */
function connection() {
  const url = parse(process.env.DATABASE_URL || contentOf(process.env.DATABASE_URL_FILE))
  const variables = {
    PGHOST: url.searchParams.get('host') ?? url.hostname,
    PGPORT: url.port,
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: decodeURIComponent(url.pathname.slice(1)),
    PGSSLMODE: url.searchParams.get('sslmode'),
    PGSSLROOTCERT: url.searchParams.get('sslrootcert'),
  }
  return Object.fromEntries(Object.entries(variables).filter(([, value]) => value))
}

function parse(text) {
  return URL.canParse(text)
    ? new URL(text)
    : fail('Set DATABASE_URL or DATABASE_URL_FILE to the URL of the owner of the tables.')
}

function contentOf(file) {
  try {
    return readFileSync(file ?? '', 'utf8').trim()
  } catch {
    return ''
  }
}

/** Runs only after a successful dump, so the newest one is never deleted. */
function deleteOlderThan(ms) {
  const dumps = readdirSync(folder)
    .filter((name) => dumpName.test(name))
    .map((name) => join(folder, name))
  for (const file of dumps) if (Date.now() - statSync(file).mtimeMs > ms) rmSync(file)
}

function fail(sentence) {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}
