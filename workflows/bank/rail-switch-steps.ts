// What the steps of pausing and resuming the rail are told and tell.
import type { Environment } from '../../domain/environment'
import type { Page } from '../controls/sweep-steps'

/** Written by people in the Web UI. */
export const wantedOfRailSwitch =
  '{"environment": "sandbox" or "live", "action": "pause", "resume" or "wake", "by": who you are, "reason": why}'

export interface RailOrder {
  readonly environment: Environment
  readonly action: 'pause' | 'resume'
  /** Who wants it, for the activity list. */
  readonly by: string
  readonly reason: string | null
  /** An order that was carried out late does not end a pause that began after it. */
  readonly askedAt: string
}

export interface WokenPage {
  readonly woken: number
  readonly failed: number
  readonly next: string | null
}

export interface RailSwitchSteps {
  /** Whether it changed anything. Safe to repeat. */
  switchRail(order: RailOrder): Promise<{ readonly changed: boolean }>
  /** Wakes the payouts of a page that were not sent yet, and starts the workflows that are missing. Safe to repeat. */
  wakeUnsent(page: Page & { readonly environment: Environment }): Promise<WokenPage>
}
