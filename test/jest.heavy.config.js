/** The second half of `npm test`: complete systems that are killed, disconnected or overloaded, three files at a time. */
const { testMatch: _all, ...everything } = require('../jest.config')
const heavy = require('./support/jest/heavy')

module.exports = {
  ...everything,
  rootDir: '..',
  testPathIgnorePatterns: [],
  testRegex: [heavy],
  // With two files at a time, the processors are idle for a third of the time, because these files wait for timeouts.
  maxWorkers: 3,
}
