// Matches the test files that load every core. They run alone, because they would miss their deadlines next to other files.
module.exports = '/test/stories/(.*/)?(chaos|kills|one-key)\\.test\\.ts$'
