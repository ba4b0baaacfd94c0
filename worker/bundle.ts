// Bundles the workflow code into the file that workers load.

import { extname, join } from 'node:path'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

/** Takes seconds, so the build bundles once for all workers, and the tests once per run. */
export async function bundleWorkflows(workflowsPath: string = ownWorkflows): Promise<{ code: string }> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [besideUs('trace-context')],
    logger: new DefaultLogger('WARN'),
    // Stack traces need file names and line numbers. Including the sources would double the size of the bundle.
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
  })
  return { code }
}

/** Finds the TypeScript file when run from the sources, and the JavaScript file when compiled. */
function besideUs(name: string): string {
  return join(__dirname, '..', 'workflows', `${name}${extname(__filename)}`)
}

const ownWorkflows = besideUs('index')
