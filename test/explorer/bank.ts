// The sandbox bank's own code inside an explored schedule, without sockets. Sending a request, receiving it and
// answering it are separate steps of the schedule.
import { randomUUID } from 'node:crypto'
import { type ProviderRail, providerRailOver } from '../../rail/provider'
import type { Answer, BankCall, Client } from '../../rail/provider/client'
import { readError } from '../../rail/provider/map'
import type { Bank } from '../../sandbox-bank/bank'
import { startStateClock } from '../../sandbox-bank/clock/moves'
import { createFaults } from '../../sandbox-bank/control/faults'
import { Refusal } from '../../sandbox-bank/http/errors'
import { createProtocol } from '../../sandbox-bank/http/protocol'
import { defaults } from '../../sandbox-bank/settings'
import { applyPut, createBooks } from '../../sandbox-bank/storage/books'
import type { Entry, Transfer } from '../../sandbox-bank/storage/records'
import type { BankBooks } from '../referee/bank-rules'
import { never, type Process, type Schedule } from './schedule'

/** With scope `transfers`, the fault applies only to calls that create a transfer. */
export interface Fault {
  readonly kind: FaultKind
  readonly scope: 'transfers' | 'everything'
}

export const faultKinds = ['refuses connections', '429', '401', '500', 'loses requests', 'loses answers'] as const
export type FaultKind = (typeof faultKinds)[number]

/** A call that creates a transfer, and its outcome as far as the caller knows it. */
export interface TransferCall {
  readonly key: string
  readonly atMs: number
  /**
   * `proof`: the answer proves that no money was sent. `accepted`: the answer contains the transfer. `open`: the caller
   * does not know the outcome.
   */
  outcome: 'open' | 'accepted' | 'proof'
  /** The field that a 400 response refuses. */
  refused: string | null
  isUnderWay: boolean
}

export interface BankOptions {
  readonly schedule: Schedule
  readonly refusals: 'forgotten' | 'replayed'
  readonly balanceMicro: bigint
  readonly refs: { readonly customerRef: string; readonly walletRef: string }
}

export const bankRefs = { customerRef: 'customer-1', walletRef: 'wallet-1' }
const liveKey = 'sk-live-explorer'
/** The network loses a request that it delays for longer. The quiet period at the end of a plan is far longer. */
const networkMs = 60_000

export class ExploredBank {
  trouble: Fault | null = null
  readonly calls: TransferCall[] = []
  /** Called for every new state of a transfer. */
  onTransfer: (transfer: Transfer) => void = () => {}
  private readonly world: Process = { name: 'bank', alive: true }
  private readonly bank: Bank
  private readonly protocol: ReturnType<typeof createProtocol>
  private readonly keys = new Map<string, string>()
  private readonly schedule: Schedule

  constructor({ schedule, refusals, balanceMicro, refs }: BankOptions) {
    this.schedule = schedule
    const books = { sandbox: createBooks(), live: createBooks() }
    const listeners: ((entry: Entry) => void)[] = [
      ({ puts }) => {
        for (const [name, object] of puts) if (name === 'transfers') this.onTransfer(object)
      },
    ]
    let seq = 0
    this.bank = {
      settings: { ...defaults, liveKey, refusals },
      clock: { nowMs: () => schedule.nowMs },
      faults: createFaults(),
      books,
      pagesUrl: '',
      delaysMs: defaults.delaysMs,
      commit(environment, what, puts) {
        seq += 1
        for (const put of puts) applyPut(books[environment], put)
        for (const listener of listeners) listener({ seq, at: schedule.nowMs, environment, what, puts })
      },
      settled: async () => {},
      nextEventSequence: () => 0,
      onCommit: (listener) => void listeners.push(listener),
      readJournal: async () => [],
      close: async () => {},
    }
    this.protocol = createProtocol({ bank: this.bank })
    this.open(refs, balanceMicro)
    startStateClock({ bank: this.bank, timers: this.timers() })
  }

  rail(callMs: number): ProviderRail {
    const client: Client = { call: (call) => this.call(call, callMs), close: () => {} }
    return providerRailOver(client, { clock: this.schedule.clock })
  }

  /** Makes the bank fail to deliver the next transfer, or return it after delivery. */
  spoil(kind: 'undeliverable' | 'return'): void {
    this.bank.faults.add({ ...plainFault, kind, times: 1, ms: 60_000 })
  }

  /** Sets the bank's rate, or restores it with null. */
  moveRate(sellRate: string | null): void {
    this.bank.faults.reset()
    if (sellRate !== null) this.bank.faults.add({ ...plainFault, kind: 'rate_jump', sell_rate: sellRate })
  }

  transfersOf(payoutId: string): Transfer[] {
    return this.bank.books.live.transfers.all().filter(({ clientReferenceId }) => clientReferenceId === payoutId)
  }

  books(): BankBooks {
    const { transfers, wallets } = this.bank.books.live
    return {
      transfers: transfers.all().map((each) => ({
        id: each.id,
        state: each.state,
        payoutId: each.clientReferenceId,
        sentMicroUsdc: each.sourceCents * 10_000n,
        receivedPence: each.outputPence,
        key: this.keys.get(each.id) ?? null,
      })),
      balances: new Map(wallets.all().map((each) => [each.id, each.balanceMicro])),
    }
  }

  private async call(call: BankCall, callMs: number): Promise<Answer> {
    const { schedule } = this
    const actor = schedule.actor()
    const about = `${call.method} ${call.path.split('?')[0]?.replace(/[0-9a-f-]{36}/g, '…') ?? ''}`
    const isTransfer = call.method === 'POST' && call.path === '/transfers'
    const leftMs = Math.min(callMs, (call.endBy?.getTime() ?? Number.POSITIVE_INFINITY) - schedule.nowMs)
    if (leftMs <= 0) return { stage: 'unconnected', cause: new Error('no time left') }
    const record: TransferCall = {
      key: call.key ?? '',
      atMs: schedule.nowMs,
      outcome: 'open',
      refused: null,
      isUnderWay: true,
    }
    if (isTransfer) this.calls.push(record)

    const answer = await this.send(call, { about, isTransfer, leftMs, record })
    if (!actor.process.alive) return never()
    record.outcome = outcomeOf(answer)
    record.refused = answer.stage === 'answered' && answer.status === 400 ? readError(answer.body).field : null
    schedule.say(`bank: ${about} → ${describe(answer)}`)
    return answer
  }

  /** Sends a request, which may arrive after its caller has given up or crashed. */
  private async send(
    call: BankCall,
    { about, isTransfer, leftMs, record }: { about: string; isTransfer: boolean; leftMs: number; record: TransferCall },
  ): Promise<Answer> {
    const { schedule } = this
    const sentAtMs = schedule.nowMs
    await schedule.point(`calls the bank: ${about}`)
    if (this.meets('refuses connections', isTransfer)) {
      record.isUnderWay = false
      return { stage: 'unconnected', cause: new Error('connection refused') }
    }
    return new Promise((resolve) => {
      const cause = new Error('no answer in time')
      const cancel = schedule.after(leftMs, `no answer: ${about}`, () => resolve({ stage: 'sent', cause }))
      schedule.spawn('bank', this.world, async () => {
        await schedule.point(`receives ${about}`)
        const isLost = this.meets('loses requests', isTransfer) || schedule.nowMs - sentAtMs > networkMs
        const answer = isLost ? null : await this.answer(call, isTransfer)
        record.isUnderWay = false
        if (answer === null) return schedule.say(`${about} is lost on its way`)
        schedule.say(`${about} is decided: ${describe(answer)}`)
        await schedule.point(`answers ${about}`)
        if (this.meets('loses answers', isTransfer)) return schedule.say(`the answer to ${about} is lost`)
        cancel()
        resolve(answer)
      })
    })
  }

  private async answer({ method, path, key, body }: BankCall, isTransfer: boolean): Promise<Answer> {
    for (const status of [429, 401, 500] as const) {
      if (this.meets(`${status}`, isTransfer)) return answered(status, { code: 'trouble', message: 'Trouble.' })
    }
    const url = new URL(`http://bank/v0${path}`)
    const bytes = Buffer.from(body ?? '')
    try {
      const reply = await this.protocol({ method, url, apiKey: liveKey, idempotencyKey: key, body: bytes })
      const json = JSON.parse(reply.body)
      if (isTransfer && reply.status === 201 && !this.keys.has(json.id)) this.keys.set(json.id, key ?? '')
      return answered(reply.status, json)
    } catch (error) {
      if (error instanceof Refusal) return answered(error.status, error.body)
      throw error
    }
  }

  private meets(kind: FaultKind, isTransfer: boolean): boolean {
    return this.trouble?.kind === kind && (isTransfer || this.trouble.scope === 'everything')
  }

  private timers() {
    const { schedule } = this
    const running = new Map<string, () => void>()
    return {
      set(name: string, at: number | null, run: () => void) {
        running.get(name)?.()
        running.delete(name)
        if (at !== null) running.set(name, schedule.at(at, 'the bank moves a transfer', run))
      },
      stop: () => {},
    }
  }

  private open({ customerRef, walletRef }: BankOptions['refs'], balanceMicro: bigint): void {
    const times = { createdAt: this.schedule.nowMs, updatedAt: this.schedule.nowMs }
    const endorsements = ['base', 'faster_payments'].map((name) => ({ name, status: 'approved' }))
    this.bank.commit('live', 'opened', [
      [
        'customers',
        {
          id: customerRef,
          type: 'business',
          fullName: 'Acme Ltd',
          email: 'acme@partners.invalid',
          kycStatus: 'approved',
          tosStatus: 'approved',
          rejections: [],
          endorsements,
          ...times,
        },
      ],
      ['wallets', { id: walletRef, customerId: customerRef, chain: 'base', address: '0x0', balanceMicro, ...times }],
    ])
  }
}

const plainFault = {
  match: {},
  times: null,
  stage: 'before',
  ms: null,
  status: null,
  code: null,
  retry_after: null,
  racing: null,
  state: null,
  reason: null,
  sell_rate: null,
  by: null,
  copies: null,
  category: null,
} as const

function answered(status: number, body: unknown): Answer {
  return { stage: 'answered', status, body, retryAfterMs: null }
}

/** A refusal proves only that its own call sent no money. The probe therefore requires proof from every call. */
function outcomeOf(answer: Answer): TransferCall['outcome'] {
  if (answer.stage === 'unconnected') return 'proof'
  if (answer.stage === 'sent') return 'open'
  if (answer.status < 300) return 'accepted'
  return [400, 401, 403, 429].includes(answer.status) ? 'proof' : 'open'
}

function describe(answer: Answer): string {
  if (answer.stage === 'unconnected') return 'not connected'
  if (answer.stage === 'sent') return 'no answer'
  const { code, source, state } = (answer.body ?? {}) as Readonly<Record<string, unknown>>
  const key = typeof source === 'object' && source !== null && 'key' in source ? source.key : null
  return [answer.status, code, key, answer.status < 300 ? state : null].filter(Boolean).join(' ')
}

export function anEventId(): string {
  return `wh_${randomUUID()}`
}
