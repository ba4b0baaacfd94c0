// The code in domain/ has no floats and uses nothing that is forbidden in a Temporal workflow.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { parseSync } from '@swc/core'

const folder = join(__dirname, '../../domain')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))

test('the scan covers the known files', () => {
  expect(files).toEqual(
    expect.arrayContaining(['money.ts', 'rate.ts', 'invoices/fees.ts', 'payouts/quote.ts', 'wallets/ledger.ts']),
  )
})

/**
 * Months and deadlines need calendar functions, which workflows may use. A separate rule forbids reading the current
 * time.
 */
const calendar: Readonly<Record<string, readonly string[]>> = {
  'month.ts': ['Date', 'Intl'],
  'invoices/invoice.ts': ['Date'],
  'payouts/case.ts': ['Date'],
  'rate-check.ts': ['Date'],
}

test.each(files)('domain/%s has no float and imports only from domain/', (file) => {
  const may = calendar[file] ?? []

  expect(faultsOf(readFileSync(join(folder, file), 'utf8'), file).filter((fault) => !may.includes(fault))).toEqual([])
})

describe('the scan itself', () => {
  test.each([
    ['const x = 0.99', '0.99'],
    ['const x = .5', '.5'],
    ['const x = 1e9', '1e9'],
    ['const x = Number("1")', 'Number'],
    ['const x = parseFloat("1")', 'parseFloat'],
    ['const x = Math.round(y)', 'Math'],
    ['const x = globalThis.Math', 'globalThis'],
    ['const x = Date.now()', 'Date'],
    ['const x = process.env', 'process'],
    ['const x = y.toFixed(2)', 'toFixed'],
    ['import { x } from "node:assert"', 'node:assert'],
    ['import type { X } from "../db/ledger"', '../db/ledger'],
    ['export * from "typebox"', 'typebox'],
    ['const x = import("pg")', 'import()'],
  ])('finds %j', (source, fault) => {
    expect(faultsOf(source)).toContain(fault)
  })

  test('ignores strings, comments and whole numbers', () => {
    expect(
      faultsOf('// 0.99 by Math\nimport { y } from "./y"\nconst x = "0.99 Number" + `1.5` + 10_000n + 200 + y'),
    ).toEqual([])
  })
})

const forbidden = new Set(
  'Number parseFloat parseInt Math Intl toFixed Date performance process Buffer crypto require globalThis eval Float64Array Float32Array'.split(
    ' ',
  ),
)

interface SyntaxNode {
  readonly type?: unknown
  readonly value?: unknown
  readonly raw?: unknown
  readonly source?: unknown
}

/** Finds faults in the syntax tree, so that strings and comments may contain anything. */
function faultsOf(source: string, file = 'any.ts'): string[] {
  const faults: string[] = []
  visit(parseSync(source, { syntax: 'typescript' }))
  return faults

  function visit(node: unknown): void {
    if (typeof node !== 'object' || node === null) return
    const { type, value, raw, source: from }: SyntaxNode = node
    if (type === 'NumericLiteral' && /[.e]/i.test(String(raw)) && !/^0x/i.test(String(raw))) faults.push(String(raw))
    if (type === 'Identifier' && forbidden.has(String(value))) faults.push(String(value))
    if (type === 'Import') faults.push('import()')
    if (typeof from === 'object' && from !== null && 'value' in from && !isInDomain(String(from.value))) {
      faults.push(String(from.value))
    }
    Object.values(node).forEach(visit)
  }

  function isInDomain(from: string): boolean {
    return from.startsWith('.') && !join(dirname(file), from).startsWith('..')
  }
}
