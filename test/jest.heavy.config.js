/** The second half of `npm test`: complete systems that are killed, disconnected or overloaded, two files at a time. */
const { testMatch: _all, ...everything } = require('../jest.config')
const heavy = require('./support/jest/heavy')

module.exports = {
  ...everything,
  rootDir: '..',
  testPathIgnorePatterns: [],
  testRegex: [heavy],
  // With one file at a time, the processors are idle for half of the time, because these files wait for timeouts.
  maxWorkers: 2,
}
