// One payout and everything that can act on it: two APIs, two workers, operators, the partner, Temporal and the bank.

import { readChangedTransfers } from '../../activities/bank/changed-transfers'
import { switchRail, wakeUnsent } from '../../activities/bank/rail-switch'
import type { PayoutDeps } from '../../activities/bind'
import { reportOverduePayouts, type SweepDeps, sweepPayouts } from '../../activities/controls/sweep'
import { cancelPayoutRoute } from '../../api/payouts/cancel'
import { createPayoutRoute } from '../../api/payouts/create'
import { updatePartner } from '../../db/partners/partners'
import { recordPayoutEvent } from '../../db/payouts/events'
import { findOpenPayout } from '../../db/payouts/open'
import { createRails } from '../../rail/rails'
import type { Log } from '../../runtime/log'
import { payoutWorkflowId } from '../../workflows/names'
import { payout } from '../../workflows/payouts/payout'
import { payoutReturn } from '../../workflows/payouts/return'
import type { Seen } from '../referee/client-rules'
import { testKeyring } from '../support/api/client'
import { payoutActivities } from '../support/stages/payout-activities'
import { type Api, callApi, createApi, receiveEvent, settings, workflowsFor } from './api'
import { anEventId, bankRefs, ExploredBank } from './bank'
import type { ExploredDatabase } from './database'
import { describeEvent, type Plan, type PlannedEvent } from './plan'
import type { Process, Schedule } from './schedule'
import type { ExploredPartner, ExploredRow } from './stage'
import { TemporalServer } from './temporal'

export const idempotencyKey = 'order-0001'
export const environment = 'live'

export interface CancelAnswer {
  readonly by: string
  readonly begunAtStep: number
  readonly heardAtStep: number
  readonly outcome: 'cancelled' | 'refused' | 'undecided'
  /** The status that the refusal reports. */
  readonly status: string | null
  /** Whether the first call to the bank had started when the cancel was decided. */
  readonly wasStarted: boolean
}

export interface PayoutAnswer {
  readonly http: number
  readonly status: string | null
}

export class World {
  readonly bank: ExploredBank
  readonly temporal: TemporalServer
  readonly cancels: CancelAnswer[] = []
  readonly answers: PayoutAnswer[] = []
  readonly seen: Seen[] = []
  readonly violations: string[] = []
  /** The steps at which `begin_submit` allowed a first call to the bank. */
  readonly starts: number[] = []
  crashes = 0
  private isPaused = false
  private isSuspended = false
  private readonly outside: Process = { name: 'outside', alive: true }
  private readonly apis = new Map<string, Api>()
  private workers: Process[]
  private readonly sweepDeps: SweepDeps
  private eventsSent = 0

  constructor(
    readonly schedule: Schedule,
    readonly database: ExploredDatabase,
    readonly partner: ExploredPartner,
    readonly plan: Plan,
    private readonly log: Log,
  ) {
    const { clock } = schedule
    this.bank = new ExploredBank({
      schedule,
      refusals: plan.refusals,
      balanceMicro: partner.balanceMicro,
      refs: bankRefs,
    })
    this.bank.onTransfer = ({ id, clientReferenceId, state }) => {
      if (plan.webhooks === 'sent') this.sendWebhook(id, clientReferenceId, state)
    }
    this.workers = ['worker-1', 'worker-2'].map((name) => ({ name, alive: true }))
    const rails = createRails({ bank: { sandbox: null, live: null }, clock, timeouts: { connectMs: 1, callMs: 1 } })
    const about = { db: database.db, clock, keyring: testKeyring, log, limits: settings.limits }
    const deps = (callMs: number): PayoutDeps => ({
      ...about,
      rails: { ...rails, provider_production: this.bank.rail(callMs) },
    })
    this.temporal = new TemporalServer({
      schedule,
      workers: () => this.workers,
      activities: payoutActivities(deps(settings.backgroundCallMs), deps(settings.briefCallMs)),
      workflows: { payout, payoutReturn },
    })
    this.sweepDeps = {
      ...settings.sweep,
      db: database.db,
      clock,
      log,
      temporal: this.temporal.client(),
      queuePrefix: 'payouts',
      pollMs: settings.pollMs,
      banks: { sandbox: null, live: this.bank.rail(settings.backgroundCallMs) },
    }
    database.onStatement = (_actor, text, rows) => {
      if (text.includes('begin_submit(') && hasValue(rows[0])) this.noteStart()
    }
  }

  /** Starts an event without waiting for it to end. */
  happen(one: PlannedEvent): void {
    this.schedule.say(describeEvent(one), 'plan')
    switch (one.kind) {
      case 'request':
        return this.request(one.to)
      case 'cancel':
        return this.cancel(one.by)
      case 'trouble':
        this.bank.trouble = one.trouble
        return
      case 'rate':
        return this.bank.moveRate(one.sellRate)
      case 'crash':
        return this.crash(one.process)
      case 'clock':
        return this.schedule.jump(one.ms)
      case 'spoil':
        return this.bank.spoil(one.how)
      case 'webhook':
        return this.repeatWebhook()
      case 'terminate':
        return this.withPayout(async ({ attempt }) => this.temporal.terminate(this.workflowId(attempt)))
      case 'sweep':
        return this.sweep()
      case 'pause':
      case 'resume':
        return this.switchRail(one.kind)
      case 'suspend':
      case 'reactivate':
        return this.moveStatus(one.kind)
    }
  }

  request(to: string): void {
    const { process, deps } = this.api(to)
    const { key, request: body } = this.partner
    this.schedule.spawn(`${to} POST /payouts`, process, async () => {
      const headers = { authorization: `Bearer ${key}`, 'idempotency-key': idempotencyKey }
      const { http, json, code } = await callApi(createPayoutRoute, deps, { headers, body, params: {} })
      if (!process.alive) return
      this.schedule.say(`HEARS ${http} ${code ?? text(json['status'])}`)
      this.answers.push({ http, status: text(json['status']) })
      const about = { partnerId: this.partner.id, environment, key: idempotencyKey, status: http, code }
      this.seen.push({ ...about, payoutId: text(json['id']), amountGbp: text(json['amount_gbp']) })
    })
  }

  cancel(by: 'api' | 'ops' | 'temporal'): void {
    this.withPayout(async ({ id, attempt, isStarted }) => {
      if (by === 'temporal') return this.temporal.latest(this.workflowId(attempt))?.requestCancel()
      const begunAtStep = this.schedule.steps
      const hear = (outcome: CancelAnswer['outcome'], status: string | null) => {
        const heardAtStep = this.schedule.steps
        this.schedule.say(`HEARS that the cancel is ${outcome}${status === null ? '' : `: it is ${status}`}`)
        const wasStarted = isStarted || this.starts.some((step) => step >= begunAtStep && step <= heardAtStep)
        this.cancels.push({ by, begunAtStep, heardAtStep, outcome, status, wasStarted })
      }
      return by === 'api' ? this.cancelByApi(id, hear) : this.cancelByOps(id, hear)
    })
  }

  /** Restores the bank, the rail and the partner to normal. */
  heal(): void {
    this.bank.trouble = null
    this.bank.moveRate(null)
    this.release()
  }

  /** Resumes the rail and reactivates the partner, so that the payout can continue. */
  release(): void {
    this.happen({ kind: 'resume' })
    this.happen({ kind: 'reactivate' })
  }

  sweep(): void {
    this.schedule.spawn('worker sweep', this.outside, async () => {
      await sweepPayouts(this.sweepDeps, { after: null, limit: 50 })
      await reportOverduePayouts(this.sweepDeps, { after: null, limit: 50 })
    })
  }

  /** Runs the nightly scan of changed transfers, which finds returns whose events were lost. */
  readChanges(): void {
    this.schedule.spawn('worker daily look', this.outside, async () => {
      await readChangedTransfers(this.sweepDeps, { environment })
    })
  }

  workflowId(attempt: number): string {
    return payoutWorkflowId({ environment, partnerId: this.partner.id, idempotencyKey, attempt })
  }

  private noteStart(): void {
    this.starts.push(this.schedule.steps)
    if (this.isPaused) this.violations.push('a first call began while the rail was paused')
    if (this.isSuspended) this.violations.push('a first call began while the partner was suspended')
  }

  private crash(name: string): void {
    const process = name === 'worker' ? this.workers[0] : this.apis.get(name)?.process
    if (process === undefined) return
    if (name === 'worker') this.crashes++
    process.alive = false
    this.database.crash(process)
    this.apis.delete(name)
    this.workers = this.workers.filter((worker) => worker !== process)
    if (name === 'worker') this.workers.push({ name: process.name, alive: true })
    this.temporal.workerLost(process)
  }

  private api(name: string): Api {
    const known = this.apis.get(name)
    if (known !== undefined) return known
    const { schedule, bank, log } = this
    const api = createApi(name, { schedule, bank, db: this.database.db, temporal: this.temporal.client(), log })
    this.apis.set(name, api)
    return api
  }

  private async cancelByApi(id: string, hear: (outcome: CancelAnswer['outcome'], status: string | null) => void) {
    const { process, deps } = this.api('api-1')
    const headers = { authorization: `Bearer ${this.partner.key}` }
    this.schedule.spawn('api-1 POST /cancel', process, async () => {
      const { http, details } = await callApi(cancelPayoutRoute, deps, { headers, params: { id } })
      if (!process.alive) return
      if (http === 200) hear('cancelled', 'cancelled')
      else if (http === 409) hear(details === 'cancelled' ? 'cancelled' : 'refused', details)
      else if (http === 503) hear('undecided', null)
      else this.schedule.say(`HEARS ${http} to its cancel`)
    })
  }

  /** Does the same as `ops payout cancel` when Temporal is reachable. */
  private async cancelByOps(id: string, hear: (outcome: CancelAnswer['outcome'], status: string | null) => void) {
    const { db } = this.database
    const ops: Process = { name: 'ops', alive: true }
    this.schedule.spawn('ops payout cancel', ops, async () => {
      const open = await findOpenPayout(db, id)
      if (open === null || open.status !== 'pending') return
      const at = this.schedule.clock.now()
      await db.transaction((tx) =>
        recordPayoutEvent(tx, { payoutId: id, at, kind: 'cancel_asked', madeBy: 'ops:test', detail: null }),
      )
      const outcome = await workflowsFor({ temporal: this.temporal.client(), log: this.log }).cancelPayout(open)
      const row = await this.row()
      // If the attempt was released or replaced, there is no payout, so the operator gets no status.
      const isGone = row === null || row.released_at !== null || row.attempt !== open.attempt
      const status = isGone ? null : row.status
      if (status === 'cancelled') hear('cancelled', status)
      else if (outcome === 'undecided' && status === 'pending') hear('undecided', null)
      else hear('refused', status)
    })
  }

  private switchRail(action: 'pause' | 'resume'): void {
    this.schedule.spawn(`ops rail ${action}`, this.outside, async () => {
      if (action === 'resume') this.isPaused = false
      const askedAt = this.schedule.clock.now().toISOString()
      await switchRail(this.sweepDeps, { environment, action, by: 'test', reason: null, askedAt })
      this.isPaused = action === 'pause'
      if (action === 'resume') await wakeUnsent(this.sweepDeps, { environment, after: null, limit: 50 })
    })
  }

  private moveStatus(action: 'suspend' | 'reactivate'): void {
    const status = action === 'suspend' ? 'suspended' : 'active'
    this.schedule.spawn(`ops partner ${action}`, this.outside, async () => {
      if (action === 'reactivate') this.isSuspended = false
      const at = this.schedule.clock.now()
      await this.database.db.transaction((tx) => updatePartner(tx, this.partner.id, { status }, at))
      this.isSuspended = action === 'suspend'
    })
  }

  private repeatWebhook(): void {
    const [transfer] = this.bank.books().transfers
    if (transfer !== undefined) this.sendWebhook(transfer.id, transfer.payoutId, transfer.state)
  }

  private sendWebhook(objectRef: string, payoutId: string | null, objectState: string): void {
    const { process, deps } = this.api('api-2')
    this.schedule.spawn(`api-2 webhook ${++this.eventsSent}`, process, async () => {
      await this.schedule.point(`an event arrives: ${objectState}`)
      const at = this.schedule.clock.now()
      const event = {
        environment,
        eventId: anEventId(),
        category: 'transfer',
        objectRef,
        objectState,
        payoutId,
        at,
      } as const
      await receiveEvent(deps, event)
    })
  }

  /** Calls `act` with the payout. Does nothing before the payout is claimed. */
  private withPayout(act: (row: { id: string; attempt: number; isStarted: boolean }) => Promise<void> | void): void {
    this.schedule.spawn('outside', this.outside, async () => {
      const row = await this.row()
      if (row === null) return this.schedule.say('there is no payout yet')
      await act({ id: row.id, attempt: row.attempt, isStarted: row.submit_started_at !== null })
    })
  }

  /** Returns the payout's current row, read without a scheduling point. */
  async row(): Promise<ExploredRow | null> {
    const [row] = await this.database.look<ExploredRow>('SELECT * FROM payouts WHERE idempotency_key = $1', [
      idempotencyKey,
    ])
    return row ?? null
  }
}

function hasValue(row: unknown): boolean {
  return typeof row === 'object' && row !== null && Object.values(row).some((value) => value !== null)
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
