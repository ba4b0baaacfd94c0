// Orders the test files so that no long file starts last and the stories that load every core do not all run at once.
const { default: Sequencer } = require('@jest/test-sequencer')

/** Whole systems that are killed, cut off and overloaded. */
const heavy =
  /\/test\/stories\/(.*\/)?(bank-faults|chaos|drain|invoices|kills|one-key|paused-for-a-day|random-kills|servers|two-of-each|webhook-storm|webhooks)\.test|\/test\/workflows\/payouts\/replay\.test/

/** Systems, browsers and recorded histories. A first run has no durations to sort by. */
const long =
  /\/test\/(browser|explorer|stories|workflows)\/|\/test\/(api\/process|worker\/main|api\/payouts\/cancel)\.test/

/** So many other files for each heavy one. */
const spacing = 8

class LongFirst extends Sequencer {
  async sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is Jest's own, of no array.
    const sorted = await super.sort(tests)
    const stories = sorted.filter(({ path }) => heavy.test(path))
    const others = sorted.filter(({ path }) => !heavy.test(path))
    const longFirst = [
      ...others.filter(({ path }) => long.test(path)),
      ...others.filter(({ path }) => !long.test(path)),
    ]
    const spread = longFirst.flatMap((test, place) =>
      place % spacing === 0 ? [...stories.splice(0, 1), test] : [test],
    )
    return [...spread, ...stories]
  }
}

module.exports = LongFirst
