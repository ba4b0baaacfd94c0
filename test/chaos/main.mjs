// `npm run chaos -- --minutes N --seed S` builds, then runs the chaos story for N minutes with the faults that seed S
// selects.
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const options = {
  minutes: { type: 'string', default: '5' },
  seed: { type: 'string', default: String(randomInt(1, 1_000_000)) },
}
const { minutes, seed } = parseArgs({ options }).values
if (!(Number(minutes) > 0) || !/^\d{1,9}$/.test(seed)) {
  process.stderr.write('--minutes must be a number above 0, --seed a whole number of at most nine digits.\n')
  process.exit(2)
}
const env = { ...process.env, CHAOS_MINUTES: minutes, CHAOS_SEED: seed }
const run = (command, ...args) => spawnSync(command, args, { cwd: root, env, stdio: 'inherit' }).status ?? 1
process.stderr.write(`${String(minutes)} minutes of chaos, seed ${String(seed)}\n`)
process.exit(run('npm', 'run', '-s', 'build') || run('npx', 'jest', 'test/stories/chaos.test.ts'))
