// What a run over all partners has come to, in numbers and in a sentence.
import type { Invoiced } from './steps'

export interface BilledPartner {
  readonly partnerId: string
  /** `elsewhere`: another run is at it. */
  readonly outcome: Invoiced['outcome'] | 'failed' | 'elsewhere'
  readonly number: string | null
  readonly totalGbp: string | null
}

export interface RunSums {
  readonly issued: number
  readonly already: number
  readonly nothing: number
  readonly elsewhere: number
  readonly failed: number
  /** Ids of partners, the first hundred. */
  readonly failedPartners: readonly string[]
}

export const emptySums: RunSums = { issued: 0, already: 0, nothing: 0, elsewhere: 0, failed: 0, failedPartners: [] }

const namedFailures = 100

export function addOutcome(sums: RunSums, { outcome, partnerId }: BilledPartner): RunSums {
  const counted = { ...sums, [outcome]: sums[outcome] + 1 }
  if (outcome !== 'failed' || sums.failedPartners.length >= namedFailures) return counted
  return { ...counted, failedPartners: [...sums.failedPartners, partnerId] }
}

/** "3 issued, 1 with nothing to bill." Only issued ones and failures are always named. */
export function sentenceOf({ issued, already, nothing, elsewhere, failed }: RunSums): string {
  const parts = [
    `${issued} issued`,
    ...(already > 0 ? [`${already} billed before`] : []),
    ...(nothing > 0 ? [`${nothing} with nothing to bill`] : []),
    ...(elsewhere > 0 ? [`${elsewhere} being billed by another run`] : []),
    `${failed} failed`,
  ]
  return `${parts.join(', ')}.`
}
