/** `npm run test:cluster`: needs Go to build a production Temporal server, so it is not part of `npm test`. */
const everything = require('../jest.config')

module.exports = {
  ...everything,
  rootDir: '..',
  testMatch: ['<rootDir>/test/cluster/*.story.ts'],
  maxWorkers: 1,
}
