// Orders the test files so that no long file starts last.
const { default: Sequencer } = require('@jest/test-sequencer')

/** Systems, browsers and recorded histories. A first run has no durations to sort by. */
const long =
  /\/test\/(browser|explorer|stories|workflows)\/|\/test\/(api\/process|worker\/main|api\/payouts\/cancel)\.test/

class LongFirst extends Sequencer {
  async sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is Jest's own, of no array.
    const sorted = await super.sort(tests)
    return [...sorted.filter(({ path }) => long.test(path)), ...sorted.filter(({ path }) => !long.test(path))]
  }
}

module.exports = LongFirst
