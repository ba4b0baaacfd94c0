// The API's way to the workflow of a recall or trace; the row is there already, so one that can not be started now harms nobody.
import type { Client } from '@temporalio/client'
import type { Log } from '../../../runtime/log'
import { askWithin } from '../../../runtime/temporal/client'
import type { payoutCase } from '../../../workflows/payouts/case'
import { type CaseToStart, payoutCaseStart } from '../../../workflows/payouts/case-start'

export interface CaseStarter {
  /** Never throws: of a case without a workflow people are told by the sweep, when it is late. */
  start(opened: CaseToStart): Promise<void>
}

export interface CaseStarterOptions {
  readonly temporal: Client
  readonly taskQueuePrefix: string
  readonly log: Log
}

/** The caller waits for it. */
const withinMs = 2_000

export function createCaseStarter({ temporal, taskQueuePrefix, log }: CaseStarterOptions): CaseStarter {
  return {
    async start(opened) {
      try {
        await askWithin(temporal, withinMs, () =>
          temporal.workflow.start<typeof payoutCase>('payoutCase', payoutCaseStart(opened, taskQueuePrefix)),
        )
      } catch (error) {
        log.warn({ err: error, case_id: opened.id }, 'a case has no workflow')
      }
    },
  }
}
