// In which order test files run where no run before has told how long they take, as in continuous integration: the long ones first.
const { default: Sequencer } = require('@jest/test-sequencer')

/** Whole systems, browsers and recorded histories: one of them that begins last is waited for alone. */
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
