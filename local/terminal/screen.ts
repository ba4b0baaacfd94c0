// The one screen that is printed when everything runs.

import type { Demo } from '../demo'
import { paint } from './paint'

export interface ScreenContent {
  readonly api: string
  readonly docs: string
  readonly temporalUi: string | null
  readonly demo: Demo | null
  readonly dataDir: string
}

export function renderScreen({ api, docs, temporalUi, demo, dataDir }: ScreenContent, out: NodeJS.WriteStream): string {
  const colour = paint(out)
  const row = (name: string, value: string | null) => (value === null ? [] : [`  ${name.padEnd(17)}${value}`])
  return [
    '',
    `  ${colour.bold('Payouts is running.')}`,
    '',
    ...row('API', colour.cyan(api)),
    ...row('API reference', colour.cyan(docs)),
    ...row('Temporal Web UI', temporalUi && colour.cyan(temporalUi)),
    ...(demo
      ? ['', ...row('Demo partner', `${demo.partner.slug} (sandbox)`), ...row('Sandbox key', demo.keys.sandbox)]
      : []),
    ...(demo ? ['', '  Try it:', '', `    ${curlLine(api, demo)}`] : []),
    '',
    colour.dim(`  State and logs are in ${dataDir}. Ctrl-C stops everything.`),
    '',
    '',
  ].join('\n')
}

export function curlLine(api: string, demo: Demo): string {
  return `curl ${api}/v1/balance -H 'Authorization: Bearer ${demo.keys.sandbox}'`
}
