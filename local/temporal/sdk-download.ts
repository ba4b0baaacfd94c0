// Lets the SDK fetch the Temporal CLI of a given version into a folder: node sdk-download.js <folder> <version>.

import { TestWorkflowEnvironment } from '@temporalio/testing'

async function main([downloadDir, version]: readonly string[]): Promise<void> {
  if (!downloadDir || !version) throw new Error('A folder and a version are needed.')
  const server = { executable: { type: 'cached-download' as const, downloadDir, version } }
  const environment = await TestWorkflowEnvironment.createLocal({ server })
  await environment.teardown()
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
})
