// What the HTTP side is handed at its start.
import type { Clock } from '../clock'
import type { Config } from '../config'
import type { Db } from '../db/database'
import type { Keyring } from '../db/keyring'
import type { Log } from '../log'
import type { MakeBelieveBank } from '../rail/make-believe'
import type { Rates } from '../rail/rates'
import type { Tracer } from '../tracing/tracer'
import type { ActivityLog } from './activity-log'
import type { CaseStarter } from './case-starter'
import type { CostlyReads } from './costly-reads'
import type { MailSender } from './mail-sender'
import type { RequestFigures } from './metrics/request-figures'
import type { PartnerOpener } from './partner-opener'
import type { PayoutStarter } from './payout-starter'
import type { RateLimiter } from './rate-limiter'
import type { TopUpStarter } from './top-up-starter'
import type { VerificationStarter } from './verification-starter'
import type { WalletReader } from './wallet-reader'

export interface ApiDeps {
  readonly config: Pick<
    Config,
    'publicUrl' | 'session' | 'signUp' | 'trustedProxies' | 'temporalUiUrl' | 'mailInboxUrl' | 'bank' | 'caseDueMs'
  >
  readonly db: Db
  readonly costlyReads: CostlyReads
  readonly keyring: Keyring
  readonly rates: Rates
  readonly payouts: PayoutStarter
  readonly activityLog: ActivityLog
  readonly rateLimiter: RateLimiter
  readonly mails: MailSender
  readonly partners: PartnerOpener
  readonly topUps: TopUpStarter
  readonly walletReader: WalletReader
  readonly verifications: VerificationStarter
  readonly cases: CaseStarter
  /** Null where the sandbox has no bank, or one that nobody can tell what to do. */
  readonly sandboxBank: Pick<MakeBelieveBank, 'simulate'> | null
  readonly clock: Clock
  readonly log: Log
  readonly requests: RequestFigures
  /** Null where nothing is traced. */
  readonly tracer: Tracer | null
  /** Resolves when Temporal answers; rejects when it does not in time. */
  readonly pingTemporal: () => Promise<void>
}
