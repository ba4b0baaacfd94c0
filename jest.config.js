/** Every test file but the stories that load every core, compiled by swc; PostgreSQL and Temporal are started once for all. */
const calm = require('./test/support/jest/calm-stories')

module.exports = {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  // These come after all others, one at a time (test/jest.stories.config.js).
  testPathIgnorePatterns: [
    `/test/stories/(?!(?:[\\w-]+/)*(?:${calm.join('|')})\\.test)`,
    '/test/workflows/payouts/replay\\.test',
  ],
  transform: { '^.+\\.(ts|js|mjs)$': '@swc/jest' },
  testEnvironment: '<rootDir>/test/support/jest/environment.js',
  runtime: '<rootDir>/test/support/jest/runtime.js',
  testSequencer: '<rootDir>/test/support/jest/sequencer.js',
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
  globalSetup: '<rootDir>/test/support/jest/start.ts',
  globalTeardown: '<rootDir>/test/support/jest/stop.ts',
  // One file waits for servers while another computes.
  maxWorkers: 3,
  workerIdleMemoryLimit: '1GB',
  cacheDirectory: '<rootDir>/.cache/jest',
  // A machine that does other things too is slow, and that is no fault of a test's: this only ends what hangs.
  testTimeout: 300_000,
}
