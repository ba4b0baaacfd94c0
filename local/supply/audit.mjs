// `npm run check:audit`: known holes in production's packages, where the registry answers; where it does not, nothing is proved and nothing fails.
import { spawnSync } from 'node:child_process'

const answer = spawnSync('npm', ['audit', '--json', '--omit=dev'], { encoding: 'utf8', timeout: 60_000 })
const found = countsIn(answer.stdout)
if (found === null) {
  process.stdout.write('The registry did not answer, so nothing was looked up.\n')
} else {
  const { low, moderate, high, critical } = found
  process.stdout.write(`Known holes: ${critical} critical, ${high} high, ${moderate} moderate, ${low} low.\n`)
  if (critical + high > 0) process.exitCode = 1
}

function countsIn(text) {
  try {
    return JSON.parse(text).metadata?.vulnerabilities ?? null
  } catch {
    return null
  }
}
