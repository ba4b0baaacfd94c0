/** `npm run test:cluster`: what needs Go to build a production Temporal server, and so is no part of `npm test`. */
const everything = require('../jest.config')

module.exports = {
  ...everything,
  rootDir: '..',
  testPathIgnorePatterns: [],
  testMatch: ['<rootDir>/test/cluster/*.story.ts'],
  maxWorkers: 1,
}
