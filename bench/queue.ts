// Simulates the way of payouts through the places of the API and the bank, for docs/scaling.md: bursts, and a bank that
// is available 95 % of the time. Prints the same figures at each run: `node dist/bench/queue.js`.

interface Plan {
  /** Requests per second, and how many times as many arrive in the first `burstSeconds` of each minute. */
  readonly perSecond: number
  readonly burst: number
  /** API processes times PAYOUTS_AT_ONCE. */
  readonly places: number
  /** The bank's transfers per second, and the share of time in which it answers. */
  readonly bank: { readonly perSecond: number; readonly availability: number }
  readonly name: string
}

const burstSeconds = 10
/** The mean length of an outage of the bank. */
const outageSeconds = 60
/** The time in which one place creates a payout while the bank answers. */
const serviceMs = 300
const seconds = 1_200
/** A request whose transfer the bank has not confirmed by then is answered `pending`. The workflow keeps trying. */
const answerMs = 3_000
const stepMs = 10

/** Advances in steps of 10 ms. Arrivals are random with a fixed seed. */
export function simulate(plan: Plan) {
  // The bank's outages are the same in each simulation, whatever arrives.
  const [random, outages] = [seeded(19), seeded(7)]
  const inWork: { left: number; arrivedAt: number; isSent: boolean }[] = []
  const waiting: number[] = []
  const times: number[] = []
  let [offered, refused, pending, bankTokens, mostWaiting, longestMs] = [0, 0, 0, 0, 0, 0]
  let bank = { isUp: true, until: exponential(outages, upSeconds(plan)) }
  for (let nowMs = 0; nowMs < seconds * 1_000; nowMs += stepMs) {
    if (plan.bank.availability < 1 && nowMs / 1_000 >= bank.until) {
      const mean = bank.isUp ? outageSeconds : upSeconds(plan)
      bank = { isUp: !bank.isUp, until: nowMs / 1_000 + exponential(outages, mean) }
    }
    bankTokens = Math.min(plan.bank.perSecond, bankTokens + (plan.bank.perSecond * stepMs) / 1_000)
    for (let n = arrivals(plan, nowMs, random); n > 0; n--) {
      offered += 1
      if (inWork.length >= plan.places) refused += 1
      else inWork.push({ left: serviceMs, arrivedAt: nowMs, isSent: false })
    }
    while (bank.isUp && bankTokens >= 1 && waiting.length > 0) {
      bankTokens -= 1
      longestMs = Math.max(longestMs, nowMs - (waiting.shift() ?? nowMs))
    }
    for (const work of inWork) {
      work.left -= stepMs
      if (!work.isSent && bank.isUp && bankTokens >= 1) {
        bankTokens -= 1
        work.isSent = true
      }
    }
    for (let n = inWork.length - 1; n >= 0; n--) {
      const work = inWork[n]
      if (work === undefined) continue
      const isLate = nowMs - work.arrivedAt >= answerMs
      if ((!work.isSent || work.left > 0) && !isLate) continue
      inWork.splice(n, 1)
      times.push(nowMs - work.arrivedAt)
      if (work.isSent) continue
      pending += 1
      waiting.push(work.arrivedAt)
    }
    mostWaiting = Math.max(mostWaiting, waiting.length)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  const accepted = times.length
  return {
    offered,
    accepted,
    refused,
    pending,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    // The most payouts that waited for the bank, and the longest time until one was sent.
    mostWaiting,
    longestSeconds: longestMs / 1_000,
  }
}

function upSeconds({ bank: { availability } }: Plan): number {
  return (outageSeconds * availability) / Math.max(1e-9, 1 - availability)
}

function arrivals({ perSecond, burst }: Plan, nowMs: number, random: () => number): number {
  const isBurst = (nowMs / 1_000) % 60 < burstSeconds
  const quiet = (60 - burst * burstSeconds) / (60 - burstSeconds)
  const expected = ((isBurst ? burst : Math.max(0, quiet)) * perSecond * stepMs) / 1_000
  let count = 0
  for (let product = random(); product > Math.exp(-expected); product *= random()) count += 1
  return count
}

function exponential(random: () => number, mean: number): number {
  return -Math.log(1 - random()) * mean
}

/** A linear congruential generator, so that each run gives the same figures. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return state / 4_294_967_296
  }
}

function plans(): Plan[] {
  const rates = [
    { perSecond: 10, places: 2 * 64 },
    { perSecond: 100, places: 8 * 64 },
    { perSecond: 1_000, places: 40 * 64 },
  ]
  return rates.flatMap((rate) => {
    const even = { ...rate, burst: 1 }
    const bursts = { ...rate, burst: 5 }
    const bank = { perSecond: 4 * rate.perSecond, availability: 1 }
    const failing = { ...bank, availability: 0.95 }
    const name = `${rate.perSecond}/s`
    return [
      { ...even, bank, name: `${name}, even` },
      { ...bursts, bank, name: `${name}, 5 times as many for 10 s of each minute` },
      { ...even, bank: failing, name: `${name}, even, bank available 95 %` },
      { ...bursts, bank: failing, name: `${name}, bursts, bank available 95 %` },
    ]
  })
}

function main(): void {
  const head = ['offered', 'refused', 'pending', 'p50 ms', 'p99 ms', 'most waiting', 'longest s']
  const line = (name: string, cells: readonly (string | number)[]) =>
    `${name.padEnd(52)}${cells.map((cell) => String(cell).padStart(13)).join('')}`
  const lines = plans().map((plan) => {
    const { offered, refused, pending, p50Ms, p99Ms, mostWaiting, longestSeconds } = simulate(plan)
    return line(plan.name, [offered, refused, pending, p50Ms, p99Ms, mostWaiting, longestSeconds.toFixed(0)])
  })
  process.stdout.write(`${[line('20 minutes', head), ...lines].join('\n')}\n`)
}

if (require.main === module) main()
