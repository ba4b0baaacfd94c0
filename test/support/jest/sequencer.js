// Orders the test files so that a few long files always run next to short ones. The long files keep the processors
// busy, and the short ones mostly wait for servers. No long file starts last. The stories that kill or overload whole
// systems start first, because they wait a lot: side by side, they keep the processors busy.
const { default: Sequencer } = require('@jest/test-sequencer')

/** Matches long files by path, because Jest has no durations to sort by in a first run. */
const long =
  /\/test\/(browser|explorer|stories|worker)\/|\/test\/(api\/(process|http|payouts\/cancel)|ops\/payouts|workflows\/.*replay)/

const first = /\/test\/stories\/(.*\/)?(bank-faults|chaos|kills|one-key|servers)\.test\.ts$/

class LongBesideShort extends Sequencer {
  async sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- This is Jest's own method, not an array's.
    const sorted = await super.sort(tests)
    const firstOnes = sorted.filter(({ path }) => first.test(path))
    const longOnes = sorted.filter(({ path }) => long.test(path) && !first.test(path))
    const shortOnes = sorted.filter(({ path }) => !long.test(path))
    const beside = Math.floor(shortOnes.length / (longOnes.length + 1))
    return [...firstOnes, ...longOnes.flatMap((one) => [one, ...shortOnes.splice(0, beside)]), ...shortOnes]
  }
}

module.exports = LongBesideShort
