/** Runs every test, compiled by swc. PostgreSQL and Temporal start once for all files. */
module.exports = {
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  transform: { '^.+\\.(ts|js|mjs)$': '@swc/jest' },
  testEnvironment: '<rootDir>/test/support/jest/environment.js',
  runtime: '<rootDir>/test/support/jest/runtime.js',
  testSequencer: '<rootDir>/test/support/jest/sequencer.js',
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
  globalSetup: '<rootDir>/test/support/jest/start.ts',
  globalTeardown: '<rootDir>/test/support/jest/stop.ts',
  // Two files compute while three others wait for servers.
  maxWorkers: 5,
  workerIdleMemoryLimit: '1GB',
  cacheDirectory: '<rootDir>/.cache/jest',
  // Long enough to end only a test that hangs. A test that is merely slow on a busy machine must not fail.
  testTimeout: 900_000,
}
