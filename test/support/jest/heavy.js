// Matches the test files that use every core. They run alone, because next to other files they would miss deadlines.
module.exports = '/test/stories/(.*/)?(bank-faults|chaos|kills|one-key|servers)\\.test\\.ts$'
