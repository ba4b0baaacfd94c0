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
})
