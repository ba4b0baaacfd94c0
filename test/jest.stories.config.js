/** The second half of `npm test`: whole systems that are killed, cut off and lied to, one at a time, judged by the referee. */
const everything = require('../jest.config')
const calm = require('./support/jest/calm-stories')

module.exports = {
  ...everything,
  rootDir: '..',
  testPathIgnorePatterns: [],
  testMatch: [
    `<rootDir>/test/stories/**/!(${calm.join('|')}).test.ts`,
    '<rootDir>/test/workflows/payouts/replay.test.ts',
  ],
  maxWorkers: 1,
}
