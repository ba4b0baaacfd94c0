// Limits how many payouts one API process creates at the same time, and how many of them belong to one partner.
import { type Environment, environments } from '../../domain/environment'
import type { Metric } from '../../runtime/metrics'
import { ApiError } from './errors'

interface Payer {
  readonly partnerId: string
  readonly environment: Environment
}

export interface Admission {
  /** Runs `create` in one of the places. If there is none, returns what `refuse` returns, by default an error. */
  admit<T>(payer: Payer, create: () => Promise<T>, refuse?: (error: ApiError) => Promise<T>): Promise<T>
  metrics(): Metric[]
}

/**
 * More payouts at the same time are not created faster: each one only takes longer. A refused request costs one query.
 * Sandbox and live have separate places, so that free sandbox accounts cannot block live payouts.
 */
export function createAdmission(places: number): Admission {
  const ofEnvironment = { sandbox: createPlaces(places), live: createPlaces(places) }
  return {
    async admit({ partnerId, environment }, create, refuse = fail) {
      const own = ofEnvironment[environment]
      const reason = own.enter(partnerId)
      if (reason !== null) return own.countRefusal(reason, refuse(refusals[reason]()))
      try {
        return await create()
      } finally {
        own.leave(partnerId)
      }
    },
    metrics: () => [
      {
        name: 'payouts_admission_refusals_total',
        help: 'Refused payouts, because too many of this partner or of all partners were being created.',
        type: 'counter',
        samples: environments.flatMap((environment) =>
          Object.entries(ofEnvironment[environment].refused).map(([reason, value]) => ({
            labels: { environment, reason },
            value,
          })),
        ),
      },
    ],
  }
}

async function fail(error: ApiError): Promise<never> {
  throw error
}

/**
 * A partner that already has payouts in work gets at most the places that it would get if one more partner arrived. So
 * one partner uses up to half of the places, and two use a third each. A quarter of the places is only for partners
 * that have none in work, because shares shrink only when payouts end.
 */
function createPlaces(places: number) {
  const inWork = new Map<string, number>()
  const open = places - Math.floor(places / 4)
  const refused = { partner: 0, all: 0 }
  let total = 0
  const reasonToRefuse = (own: number): Reason | null => {
    const share = Math.floor(places / (inWork.size + 1))
    if (own > 0 && (own >= share || total >= open)) return 'partner'
    return total >= places ? 'all' : null
  }
  return {
    refused,
    enter(partnerId: string): Reason | null {
      const own = inWork.get(partnerId) ?? 0
      const reason = reasonToRefuse(own)
      if (reason !== null) return reason
      inWork.set(partnerId, own + 1)
      total += 1
      return null
    },
    /** A request that turns out to be a repeat is answered, so it does not count. */
    async countRefusal<T>(reason: Reason, answer: Promise<T>): Promise<T> {
      try {
        return await answer
      } catch (error) {
        refused[reason] += 1
        throw error
      }
    },
    leave(partnerId: string): void {
      const own = inWork.get(partnerId) ?? 0
      if (own > 1) inWork.set(partnerId, own - 1)
      else inWork.delete(partnerId)
      total -= 1
    },
  }
}

const headers = { 'Retry-After': '1' }
const repeatIt = 'This request created nothing. Send it again with the same Idempotency-Key.'

type Reason = keyof typeof refusals

const refusals = {
  partner() {
    const message = `Too many payouts of this account are being created at the same time. ${repeatIt}`
    return new ApiError('rate_limited', { message, headers })
  },
  all() {
    const message = `Too many payouts are being created at the same time. ${repeatIt}`
    return new ApiError('service_unavailable', { message, headers })
  },
}
