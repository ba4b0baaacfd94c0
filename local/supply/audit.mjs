// `npm run check:audit`: checks production packages for known vulnerabilities. Does not fail if the registry does not answer.
import { spawnSync } from 'node:child_process'

const answer = spawnSync('npm', ['audit', '--json', '--omit=dev'], { encoding: 'utf8', timeout: 60_000 })
const found = countsIn(answer.stdout)
if (found === null) {
  process.stdout.write('The registry did not answer, so nothing was checked.\n')
} else {
  const { low, moderate, high, critical } = found
  process.stdout.write(`Known vulnerabilities: ${critical} critical, ${high} high, ${moderate} moderate, ${low} low.\n`)
  if (critical + high > 0) process.exitCode = 1
}

function countsIn(text) {
  try {
    return JSON.parse(text).metadata?.vulnerabilities ?? null
  } catch {
    return null
  }
}
