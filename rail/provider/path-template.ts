// Reduces a path of the bank's API to its template. Keeps only words of the protocol, so that no ID or email remains.

export function pathTemplate(path: string): string {
  const [plain = ''] = path.split('?')
  return plain
    .split('/')
    .map((word) => (word === '' || words.has(word) ? word : '{id}'))
    .join('/')
}

const words = new Set([
  'customers',
  'exchange_rates',
  'external_accounts',
  'history',
  'kyc_links',
  'liquidation_addresses',
  'reactivate',
  'transfers',
  'virtual_accounts',
  'wallets',
  'webhooks',
])
