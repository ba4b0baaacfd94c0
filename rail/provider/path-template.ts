// A path of the bank's without what it is about: only words of its protocol stay, so no id or email can be left in by mistake.

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
