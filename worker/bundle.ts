// Makes the one file of deterministic code that a worker runs its workflows from.

import { extname, join } from 'node:path'
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker'

/** Takes seconds: the build does it once for every worker, and the tests once for every run. */
export async function bundleWorkflows(workflowsPath: string = ownWorkflows): Promise<{ code: string }> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    workflowInterceptorModules: [besideUs('trace-context')],
    logger: new DefaultLogger('WARN'),
    // Stack traces need files and lines; the sources themselves would double the bundle that every worker holds.
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
  })
  return { code }
}

/** TypeScript beside TypeScript, JavaScript beside its compiled twin. */
function besideUs(name: string): string {
  return join(__dirname, '..', 'workflows', `${name}${extname(__filename)}`)
}

const ownWorkflows = besideUs('index')
