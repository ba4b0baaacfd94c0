// The faults that are currently set: finds the one that applies, and counts how often it fires.
import { randomUUID } from 'node:crypto'
import type { FaultKind } from './fault-kinds'

/** The fields that a fault can match. Each caller fills in the fields that it knows. */
export interface Subject {
  readonly environment?: string
  readonly method?: string
  readonly path?: string
  readonly client_reference_id?: string | null
  readonly external_account_id?: string
  readonly transfer_id?: string
  readonly customer_id?: string
  readonly wallet_id?: string
  readonly state?: string
  readonly category?: string
}

export const aims = [
  ...(['environment', 'method', 'path', 'client_reference_id', 'external_account_id'] as const),
  ...(['transfer_id', 'customer_id', 'wallet_id', 'state', 'category'] as const),
]

export interface FaultPlan {
  readonly kind: FaultKind
  readonly match: Readonly<Partial<Record<keyof Subject, string>>>
  /** Null: until it is removed. */
  readonly times: number | null
  readonly stage: 'before' | 'after'
  readonly ms: number | null
  readonly status: number | null
  readonly code: string | null
  readonly retry_after: number | null
  readonly racing: 'only' | null
  readonly state: string | null
  readonly reason: string | null
  readonly sell_rate: string | null
  readonly by: number | null
  readonly copies: number | null
  readonly category: string | null
}

export interface Fault extends FaultPlan {
  readonly id: string
  readonly remaining: number | null
  readonly fired: number
}

export interface Faults {
  add(plan: FaultPlan): Fault
  list(): Fault[]
  /** The first matching fault, counted as fired. Null if none matches. */
  take(kinds: readonly FaultKind[], subject: Subject): Fault | null
  /** The same, without counting. */
  peek(kinds: readonly FaultKind[], subject: Subject): Fault | null
  remove(id: string): boolean
  reset(): void
  /** Waits for the time of a hang fault, or until the fault is removed. */
  hang(fault: Fault): Promise<'elapsed' | 'removed'>
}

export function createFaults(): Faults {
  const faults = new Map<string, Fault>()
  const hanging = new Map<() => void, string>()

  function peek(kinds: readonly FaultKind[], subject: Subject): Fault | null {
    for (const fault of faults.values()) {
      if (fault.remaining !== 0 && kinds.includes(fault.kind) && matches(fault, subject)) return fault
    }
    return null
  }

  function release(id: string): void {
    for (const [wake, faultId] of hanging) if (faultId === id) wake()
  }

  return {
    add(plan) {
      const fault: Fault = { ...plan, id: randomUUID(), remaining: plan.times, fired: 0 }
      faults.set(fault.id, fault)
      return fault
    },
    list: () => [...faults.values()],
    peek,
    take(kinds, subject) {
      const fault = peek(kinds, subject)
      if (!fault) return null
      const remaining = fault.remaining === null ? null : fault.remaining - 1
      faults.set(fault.id, { ...fault, remaining, fired: fault.fired + 1 })
      return fault
    },
    remove(id) {
      release(id)
      return faults.delete(id)
    },
    reset() {
      for (const id of faults.keys()) release(id)
      faults.clear()
    },
    hang(fault) {
      return new Promise((resolve) => {
        const timer = fault.ms === null ? null : setTimeout(() => end('elapsed'), fault.ms)
        const wake = () => end('removed')
        const end = (how: 'elapsed' | 'removed') => {
          if (timer) clearTimeout(timer)
          hanging.delete(wake)
          resolve(how)
        }
        hanging.set(wake, fault.id)
      })
    },
  }
}

function matches(fault: Fault, subject: Subject): boolean {
  return aims.every((aim) => {
    const wanted = fault.match[aim]
    if (wanted === undefined) return true
    const actual = subject[aim]
    if (typeof actual !== 'string') return false
    return aim === 'path' ? matchesPath(wanted, actual) : wanted === actual
  })
}

/** A star matches any text: "/v0/transfers*" matches the list, a single transfer and the creation. */
function matchesPath(pattern: string, path: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(path)
}
