// Matches the test files that load every core. They run alone, because they miss their deadlines beside other files.
module.exports = '/test/stories/(.*/)?(chaos|kills|one-key)\\.test\\.ts$'
