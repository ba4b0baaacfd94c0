// The workflow bundle contains every workflow, and no module that workflows must not load.
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import * as workflows from '../../workflows'
import { testSystem } from '../support/jest/system'

const code = readFileSync(testSystem().workflowBundlePath, 'utf8')

test('the bundle contains only our workflows, domain/ and the SDK with its dependencies, without TypeBox, Ajv or Node', () => {
  const modules = [...code.matchAll(/^ {2}!\*\*\* (.+) \*\*\*!$/gm)].map(([, path]) => ownerOf(path ?? ''))

  expect([...new Set(modules)].toSorted((a, b) => a.localeCompare(b))).toEqual([
    '__temporal_custom_failure_converter (ignored)',
    '__temporal_custom_payload_converter (ignored)',
    '@temporalio/common',
    '@temporalio/workflow',
    'domain',
    'long',
    'ms',
    'nexus-rpc',
    'workflows',
  ])
})

test('the bundle contains every workflow', () => {
  expect(Object.keys(workflows)).toEqual([
    'changedTransfers',
    'connectSandbox',
    'invoice',
    'invoiceMail',
    'invoiceRun',
    'notices',
    'payout',
    'payoutCase',
    'payoutReturn',
    'proof',
    'pruneActivity',
    'railSwitch',
    'retention',
    'sealAudit',
    'signUp',
    'sweep',
    'topUp',
    'verification',
    'verifications',
    'verifyAudit',
    'walletReading',
    'walletReadings',
  ])
  for (const name of Object.keys(workflows)) expect(code).toContain(`function ${name}(`)
})

/** The package or folder that a module in the bundle belongs to. */
function ownerOf(path: string): string {
  return /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? /^\.\/([^/]+)\//.exec(path)?.[1] ?? path
}
