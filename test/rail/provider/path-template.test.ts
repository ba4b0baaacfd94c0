// Logged and traced paths of bank calls contain no IDs, only words of the bank's protocol.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { pathTemplate } from '../../../rail/provider/client'

test.each([
  ['/transfers', '/transfers'],
  ['/customers/cust_1/wallets/b7e6-1', '/customers/{id}/wallets/{id}'],
  ['/kyc_links?email=ada%40lovelace.test', '/kyc_links'],
  ['/kyc_links/ada%40lovelace.test', '/kyc_links/{id}'],
  ['/customers/1/external_accounts/2/reactivate', '/customers/{id}/external_accounts/{id}/reactivate'],
  ['/names/Ada', '/{id}/{id}'],
])('%s is reported as %s', (path, template) => {
  expect(pathTemplate(path)).toBe(template)
})

test('every word in the paths that the rail requests is in the known list', () => {
  const folder = join(__dirname, '../../../rail/provider')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  const sources = files.map((file) => readFileSync(join(folder, file), 'utf8'))
  const asked = sources.flatMap((source) => [...source.matchAll(/path(?:: | = )[`'](?:\$\{path\})?(\/[^`'?]*)/g)])
  const paths = asked.map(([, path = '']) => path.replaceAll(/\$\{[^}]+\}/g, 'id'))

  expect(paths.length).toBeGreaterThan(20)
  expect(paths.map(pathTemplate)).toEqual(paths.map((path) => path.replaceAll('/id', '/{id}')))
})
