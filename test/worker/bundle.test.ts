// The workflow bundle contains every workflow, and no module that workflows must not load. It is built again only if its
// sources changed.
import { copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { bundleInto } from '../../worker/bundle'
import { madeFrom } from '../../worker/bundle-path'
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

test('a bundle of the same sources is kept, and one of other sources is replaced', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'payouts-bundle-'))
  const path = join(folder, 'bundle.js')
  copyFileSync(testSystem().workflowBundlePath, path)
  const { ino } = statSync(path)

  await bundleInto(path)
  expect(statSync(path).ino).toBe(ino)
  writeFileSync(path, code.replace(/made from \w+/, 'made from others'))
  await bundleInto(path)

  expect(madeFrom(path)).toBe(madeFrom(testSystem().workflowBundlePath))
  expect(readFileSync(path, 'utf8')).toBe(code)
  rmSync(folder, { recursive: true })
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
