// The table of partners.
import { EntitySchema } from 'typeorm'
import type { PartnerStatus, Screening, VerificationStatus } from '../../../domain/partners/partner'
import { bigint, date, id, integer, orNull, text, time, withDefault } from '../../columns'

export interface PartnerRow {
  readonly id: string
  readonly slug: string
  readonly name: string
  /** The name that waits for an operator; `name` stays in use until then. */
  readonly requestedName: string | null
  readonly status: PartnerStatus
  readonly logoUrl: string | null
  readonly brandColor: string | null
  readonly contactEmail: string | null
  readonly billingEmail: string | null
  readonly verificationStatus: VerificationStatus
  readonly providerStatus: string | null
  readonly continueUrl: string | null
  readonly termsUrl: string | null
  readonly screening: Screening
  readonly enabledCountries: readonly string[]
  readonly minPayoutPence: bigint
  readonly maxPayoutPence: bigint
  /** Requests per second; null means the environment's default. */
  readonly rateLimitSandbox: number | null
  readonly rateLimitLive: number | null
  /** From when on the monthly account is due. */
  readonly liveOpenedAt: Date | null
  readonly closedAt: Date | null
  /** Until when the admins of a closed partner may sign in and read. */
  readonly readableUntil: Date | null
  /** As an invoice prints it, line by line. */
  readonly billingAddress: string | null
  /** The first day of the last billed month. Later charges for that month or an earlier one go on the next invoice. */
  readonly billedUntil: string | null
  /** Why the bank refused, as people may read it, and each one's own mark. */
  readonly verificationReasons: readonly string[]
  readonly verificationReasonMarks: readonly string[]
  /** The marks that were known when the partner tried again; null when it has not. */
  readonly verificationReasonsKnown: readonly string[] | null
  /** How often it was started. */
  readonly verificationTries: number
  /** Since when the bank is to open it; null once it has answered, or people were told that it has not. */
  readonly verificationAwaitedSince: Date | null
  /** What its admins do not want to be mailed about. */
  readonly mutedMails: readonly string[]
  /** Below this they are mailed; null when they do not want that. */
  readonly lowBalanceMicroUsdc: bigint | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export const partner = new EntitySchema<PartnerRow>({
  name: 'Partner',
  tableName: 'partners',
  columns: {
    id,
    slug: text,
    name: text,
    status: withDefault(text, 'active'),
    logoUrl: orNull(text),
    brandColor: orNull(text),
    contactEmail: orNull(text),
    billingEmail: orNull(text),
    verificationStatus: withDefault(text, 'not_started'),
    providerStatus: orNull(text),
    continueUrl: orNull(text),
    termsUrl: orNull(text),
    screening: withDefault(text, 'in_review'),
    enabledCountries: withDefault({ ...text, array: true }, ['GB']),
    minPayoutPence: withDefault(bigint, 100),
    maxPayoutPence: withDefault(bigint, 2_000_000),
    rateLimitSandbox: orNull(integer),
    rateLimitLive: orNull(integer),
    liveOpenedAt: orNull(time),
    closedAt: orNull(time),
    billingAddress: orNull(text),
    billedUntil: orNull(date),
    createdAt: time,
    updatedAt: time,
    verificationReasons: withDefault({ ...text, array: true }, []),
    verificationReasonMarks: withDefault({ ...text, array: true }, []),
    verificationReasonsKnown: orNull({ ...text, array: true }),
    verificationTries: withDefault(integer, 0),
    verificationAwaitedSince: orNull(time),
    mutedMails: withDefault({ ...text, array: true }, []),
    lowBalanceMicroUsdc: orNull(bigint),
    readableUntil: orNull(time),
    requestedName: orNull(text),
  },
})
