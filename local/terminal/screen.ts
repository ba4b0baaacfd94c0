// The screen that is printed once everything runs.

import type { Demo } from '../demo'
import { paint } from './steps'

interface ScreenContent {
  readonly api: string
  readonly docs: string
  readonly dashboard: string
  readonly temporalUi: string | null
  readonly bank: string | null
  readonly mailInbox: string | null
  readonly demo: Demo | null
  readonly dataDir: string
}

export function renderScreen(content: ScreenContent, out: NodeJS.WriteStream): string {
  const { api, docs, dashboard, temporalUi, bank, mailInbox, demo, dataDir } = content
  const colour = paint(out)
  const row = (name: string, value: string | null | undefined) => (!value ? [] : [`  ${name.padEnd(17)}${value}`])
  return [
    '',
    `  ${colour.bold('Payouts is running.')}`,
    '',
    ...row('Dashboard', `${colour.cyan(dashboard)}${demo ? ` (sign in as ${demo.partner.email})` : ''}`),
    ...row('API', colour.cyan(api)),
    ...row('API reference', colour.cyan(docs)),
    ...row('Temporal Web UI', temporalUi && colour.cyan(temporalUi)),
    ...row('Sandbox bank', bank && `${bank} (simulated, for live too: no real money moves)`),
    ...row('Mail inbox', mailInbox && `${colour.cyan(mailInbox)} (receives every mail, including sign-in codes)`),
    ...(demo
      ? [
          '',
          ...row('Demo partner', demo.partner.slug),
          ...row('Sandbox key', demo.keys.sandbox),
          ...row('Live key', demo.keys.live && `${demo.keys.live} (simulated)`),
        ]
      : []),
    ...(demo ? ['', '  Try it:', '', `    ${curlLine(api, demo)}`] : []),
    '',
    colour.dim(`  State and logs are in ${dataDir}. Ctrl-C stops everything.`),
    '',
    '',
  ].join('\n')
}

function curlLine(api: string, demo: Demo): string {
  return `curl ${api}/v1/balance -H 'Authorization: Bearer ${demo.keys.sandbox}'`
}
