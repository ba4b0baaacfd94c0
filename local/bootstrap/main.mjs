// Runs before `npm start` and `npm test`: installs and builds a fresh clone with only Node and npm, and does nothing if both are current.

const oldest = [20, 19]
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  process.stderr.write(
    `Payouts needs Node ${oldest.join('.')} or newer, and this is Node ${process.versions.node}: install it from https://nodejs.org and try again.\n`,
  )
  process.exit(1)
}

// Imported after the check, because an older Node could not parse it.
import('./prepare.mjs')
  .then(({ prepare }) => prepare())
  .catch((error) => {
    process.stderr.write(`\n${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  })
