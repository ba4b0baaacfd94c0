// Orders the test files so that a few long files always run next to short ones. The long files keep the processors
// busy, and the short ones mostly wait for servers. No long file starts last.
const { default: Sequencer } = require('@jest/test-sequencer')

/** Matches long files by path, because Jest has no durations to sort by in a first run. */
const long =
  /\/test\/(browser|explorer|stories|worker)\/|\/test\/(api\/(process|http|payouts\/cancel)|ops\/payouts|workflows\/.*replay)/

/**
 * Stories that start, kill or overload whole systems. They take a minute or two and mostly wait, so they start first. At
 * the end of a run, a processor would be idle while they wait. Jest would sort some of them last, because it sorts new
 * files by their size.
 */
const systemStory =
  /\/test\/(browser\/system|stories\/(.*\/)?(bank-faults|chaos|kills|one-key|one-system|servers|start))\.test\.ts$/

class LongBesideShort extends Sequencer {
  async sort(tests) {
    // oxlint-disable-next-line unicorn/no-array-sort -- This is Jest's own method, not an array's.
    const sorted = await super.sort(tests)
    const systemStories = sorted.filter(({ path }) => systemStory.test(path))
    const longFiles = sorted.filter(({ path }) => long.test(path) && !systemStory.test(path))
    const shortFiles = sorted.filter(({ path }) => !long.test(path))
    const beside = Math.floor(shortFiles.length / (longFiles.length + 1))
    return [...systemStories, ...longFiles.flatMap((one) => [one, ...shortFiles.splice(0, beside)]), ...shortFiles]
  }
}

module.exports = LongBesideShort
