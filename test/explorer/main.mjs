// `npm run explore -- --seed S --schedules N` explores N schedules of seed S, and prints the shortest one found that
// breaks an invariant.
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(randomInt(1, 1_000_000_000)) },
    schedules: { type: 'string', default: '1000' },
    // Runs only the schedule at this path, which a failed run has printed.
    path: { type: 'string' },
    // Continues after a failure, and prints one schedule for each broken invariant.
    all: { type: 'boolean', default: false },
  },
})
const { seed, schedules, path, all } = values
if (![seed, schedules].every((text) => /^[1-9]\d{0,8}$/.test(text)) || !/^[\d:]*$/.test(path ?? '')) {
  process.stderr.write(
    '--seed and --schedules must be whole numbers from 1 to 999999999, --path as a failed run printed it.\n',
  )
  process.exit(2)
}
const env = {
  ...process.env,
  EXPLORE_SEED: seed,
  EXPLORE_SCHEDULES: schedules,
  ...(path === undefined ? {} : { EXPLORE_PATH: path }),
  ...(all ? { EXPLORE_ALL: 'yes' } : {}),
}
const { status } = spawnSync('npx', ['jest', 'test/explorer/explorer.test.ts'], { cwd: root, env, stdio: 'inherit' })
process.exit(status ?? 1)
