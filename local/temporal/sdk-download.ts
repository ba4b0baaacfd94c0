// Downloads a version of the Temporal CLI with the SDK: node sdk-download.js <folder> <version>.

import { TestWorkflowEnvironment } from '@temporalio/testing'

async function main([downloadDir, version]: readonly string[]): Promise<void> {
  if (!downloadDir || !version) throw new Error('Usage: sdk-download.js <folder> <version>')
  const server = { executable: { type: 'cached-download' as const, downloadDir, version } }
  const environment = await TestWorkflowEnvironment.createLocal({ server })
  await environment.teardown()
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})
