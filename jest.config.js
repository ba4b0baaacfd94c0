/** Every test file, compiled by swc; PostgreSQL and Temporal are started once for all of them. */
module.exports = {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
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
