/** Every test file, compiled by swc; PostgreSQL and Temporal are started once for all of them. */
const faults = ['bank-faults', 'invoices', 'kills', 'missed-first', 'one-key', 'operators', 'servers', 'webhooks']

module.exports = {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // The stories of faults load every core for minutes, so they have a command of their own: npm run stories.
  testPathIgnorePatterns: [...faults.map((name) => `/test/stories/${name}\\.test`), '/test/workflows/payout-replay'],
  transform: { '^.+\\.(ts|js|mjs)$': '@swc/jest' },
  transformIgnorePatterns: ['/node_modules/(?!(typebox)/)'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
  globalSetup: '<rootDir>/test/setup/start.ts',
  globalTeardown: '<rootDir>/test/setup/stop.ts',
  // One file waits for servers while another computes.
  maxWorkers: 2,
  workerIdleMemoryLimit: '1GB',
  cacheDirectory: '<rootDir>/.cache/jest',
  testTimeout: 30000,
}
