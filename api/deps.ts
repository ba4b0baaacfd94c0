// The dependencies of the HTTP routes.

import type { Db } from '../db/database'
import type { Keyring } from '../db/keyring'
import type { Rates } from '../rail/rates'
import type { SimulatedBank } from '../rail/simulated-bank'
import type { Clock } from '../runtime/clock'
import type { Config } from '../runtime/config/config'
import type { Log } from '../runtime/log'
import type { Workflows } from '../runtime/temporal/workflows'
import type { Tracer } from '../runtime/tracing/tracer'
import type { ActivityLog } from './controls/activity-log'
import type { Admission } from './http/admission'
import type { RateLimiter } from './http/callers/rate-limiter'
import type { CostlyReads } from './http/costly-reads'
import type { MailSender } from './mail-sender'
import type { RequestMetrics } from './metrics/requests'

export interface ApiDeps {
  readonly config: Pick<
    Config,
    | 'publicUrl'
    | 'session'
    | 'signUp'
    | 'trustedProxies'
    | 'temporalUiUrl'
    | 'mailInboxUrl'
    | 'bank'
    | 'caseDueMs'
    | 'opsEmail'
    | 'supportEmail'
    | 'seller'
  >
  readonly db: Db
  readonly costlyReads: CostlyReads
  readonly admission: Admission
  readonly keyring: Keyring
  readonly rates: Rates
  readonly workflows: Workflows
  readonly activityLog: ActivityLog
  readonly rateLimiter: RateLimiter
  readonly mails: MailSender
  /** Null if the sandbox has no bank, or uses a real one. */
  readonly sandboxBank: Pick<SimulatedBank, 'simulate'> | null
  /** Null if live has no bank, or uses a real one. */
  readonly liveBank: Pick<SimulatedBank, 'deposit'> | null
  readonly clock: Clock
  readonly log: Log
  readonly requests: RequestMetrics
  /** Null when tracing is off. */
  readonly tracer: Tracer | null
  /** Rejects when Temporal does not respond in time. */
  readonly pingTemporal: () => Promise<void>
}
