/** Every test file but the stories that load every core, compiled by swc; PostgreSQL and Temporal are started once for all. */
const calm = require('./test/setup/calm-stories')

module.exports = {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // These come after all others, one at a time (jest.stories.config.js).
  testPathIgnorePatterns: [`/test/stories/(?!(${calm.join('|')})\\.test)`, '/test/workflows/payout-replay'],
  transform: { '^.+\\.(ts|js|mjs)$': '@swc/jest' },
  testEnvironment: '<rootDir>/test/setup/environment.js',
  runtime: '<rootDir>/test/setup/runtime.js',
  testSequencer: '<rootDir>/test/setup/sequencer.js',
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
  globalSetup: '<rootDir>/test/setup/start.ts',
  globalTeardown: '<rootDir>/test/setup/stop.ts',
  // One file waits for servers while another computes.
  maxWorkers: 3,
  workerIdleMemoryLimit: '1GB',
  cacheDirectory: '<rootDir>/.cache/jest',
  // A machine that does other things too is slow, and that is no fault of a test's: this only ends what hangs.
  testTimeout: 300_000,
}
