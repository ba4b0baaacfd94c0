// The path of the workflow bundle of this build.

import { join } from 'node:path'

export const bundlePath = join(__dirname, 'workflow-bundle.js')

/** The fingerprint of its sources. */
export const madeFromPath = `${bundlePath}.made-from`
