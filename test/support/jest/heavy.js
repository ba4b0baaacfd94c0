// Matches the test files that load every core. They run alone, because they miss their deadlines beside other files.
module.exports =
  '/test/stories/(.*/)?(bank-faults|chaos|invoices|kills|one-key|paused-for-a-day|servers|two-of-each|webhook-storm|webhooks)\\.test\\.ts$|/test/workflows/payouts/replay\\.test\\.ts$'
