// Creates a partner with its prices, its first admin, both wallets and the sandbox float.
import { isReservedSlug } from '../../domain/partners/partner'
import type { Clock } from '../../runtime/clock'
import { recordActivity } from '../controls/activity'
import type { Db, Tx } from '../database'
import { copyStandardPrices } from '../invoices/price-lists'
import { postFloat } from '../wallets/simulated'
import { openWallet } from '../wallets/wallets'
import { insertMember } from './members'
import { insertPartner, type PartnerRow } from './partners'

interface PartnerToOpen {
  readonly name: string
  readonly slug: string
  readonly email: string
  readonly createdBy: string
}

type OpenedPartner = { readonly outcome: 'opened'; readonly partner: PartnerRow } | { readonly outcome: 'slug_taken' }

export async function openPartner(
  { db, clock }: { db: Db; clock: Clock },
  partner: PartnerToOpen,
): Promise<OpenedPartner> {
  const at = clock.now()
  return db.transaction((tx) => openPartnerIn(tx, { ...partner, at }))
}

/** For callers that do more work in the same transaction. Changes nothing if the slug is in use or reserved. */
export async function openPartnerIn(
  tx: Tx,
  { name, slug, email, createdBy, at }: PartnerToOpen & { readonly at: Date },
): Promise<OpenedPartner> {
  if (isReservedSlug(slug)) return { outcome: 'slug_taken' }
  const partner = await insertPartner(tx, { slug, name, contactEmail: email, billingEmail: email, at })
  if (partner === 'slug_taken') return { outcome: 'slug_taken' }
  const partnerId = partner.id

  await copyStandardPrices(tx, { partnerId, at })
  await insertMember(tx, { partnerId, email, name: null, role: 'admin', at })
  await openWallet(tx, { partnerId, environment: 'live', rail: 'provider_production', at })
  const sandbox = await openWallet(tx, { partnerId, environment: 'sandbox', rail: 'simulated', at })
  await postFloat(tx, { walletId: sandbox.id, createdBy, at })
  await recordActivity(tx, [
    {
      partnerId,
      at,
      environment: null,
      action: 'partner.create',
      changes: 'something',
      status: null,
      madeBy: createdBy,
      detail: slug,
      requestId: null,
    },
  ])
  return { outcome: 'opened', partner }
}
