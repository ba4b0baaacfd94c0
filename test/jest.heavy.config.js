/** The second half of `npm test`: complete systems that are killed, disconnected or overloaded, one file at a time. */
const { testMatch: _all, ...everything } = require('../jest.config')
const heavy = require('./support/jest/heavy')

module.exports = {
  ...everything,
  rootDir: '..',
  testPathIgnorePatterns: [],
  testRegex: [heavy],
  maxWorkers: 1,
}
