// The table of partners.
import { EntitySchema } from 'typeorm'
import { bigint, date, id, integer, orNull, text, time, withDefault } from '../../columns'
import type { PartnerRow } from '../partners'

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
  uniques: [{ name: 'partners_slug_unique', columns: ['slug'] }],
  indices: [{ name: 'partners_requested_name_index', columns: ['id'], where: 'requested_name IS NOT NULL' }],
  checks: [
    { name: 'partners_slug_check', expression: `slug ~ '^[a-z0-9-]{2,40}$'` },
    { name: 'partners_status_check', expression: `status IN ('active', 'suspended', 'closed')` },
    {
      name: 'partners_verification_check',
      expression: `verification_status IN
        ('not_started', 'pending', 'action_required', 'in_review', 'approved', 'rejected')`,
    },
    { name: 'partners_screening_check', expression: `screening IN ('clear', 'in_review', 'blocked')` },
    {
      name: 'partners_limits_check',
      expression: 'min_payout_pence >= 100 AND min_payout_pence <= max_payout_pence AND max_payout_pence <= 2000000',
    },
    { name: 'partners_low_balance_check', expression: 'low_balance_micro_usdc > 0' },
    { name: 'partners_billed_check', expression: 'extract(day FROM billed_until) = 1' },
  ],
})
