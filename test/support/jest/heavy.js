// Matches the test files that run after all others, because next to three busy files they would miss deadlines.
module.exports = '/test/stories/(.*/)?(bank-faults|chaos|kills|one-key|servers)\\.test\\.ts$'
