/** The second half of `npm test`: complete systems that are killed, disconnected or overloaded, two files at a time. */
const { testMatch: _all, ...everything } = require('../jest.config')
const heavy = require('./support/jest/heavy')

module.exports = {
  ...everything,
  rootDir: '..',
  testPathIgnorePatterns: [],
  testRegex: [heavy],
  // One file at a time left two processors idle for half of the time, because it waits for timeouts.
  maxWorkers: 2,
}
