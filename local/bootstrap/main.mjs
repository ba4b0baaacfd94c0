// Runs before `npm start` and `npm test`: installs dependencies and builds dist/ if either is out of date. Needs only
// Node and npm.

const oldest = [20, 19]
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  process.stderr.write(
    `Payouts needs Node ${oldest.join('.')} or newer, but this is Node ${process.versions.node}. Install a newer version from https://nodejs.org and try again.\n`,
  )
  process.exit(1)
}

// Imports the module after the check, because an older Node could not parse it.
import('./prepare.mjs')
  .then(({ prepare }) => prepare())
  .catch((error) => {
    process.stderr.write(`\n${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  })
