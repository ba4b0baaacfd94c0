// Bundles the workflow code into the file that workers load.

import { extname, join } from 'node:path'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

/** Takes seconds, so the build does it once for all workers and the tests once per run. */
export async function bundleWorkflows(workflowsPath: string = ownWorkflows): Promise<{ code: string }> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [besideUs('trace-context')],
    logger: new DefaultLogger('WARN'),
    // Stack traces need files and lines. Including the sources would double the bundle.
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
  })
  return { code }
}

/** TypeScript when run from the sources, JavaScript when compiled. */
function besideUs(name: string): string {
  return join(__dirname, '..', 'workflows', `${name}${extname(__filename)}`)
}

const ownWorkflows = besideUs('index')
