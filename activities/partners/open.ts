// Opens a partner with all it needs from the first day: prices, its first admin, both wallets and the sandbox's float.

import { recordActivity } from '../../db/controls/activity'
import type { Db, Tx } from '../../db/database'
import { copyStandardPrices } from '../../db/invoices/price-lists'
import { insertMember } from '../../db/partners/members'
import { insertPartner, type PartnerRow } from '../../db/partners/partners'
import { postSet } from '../../db/wallets/ledger'
import { openWallet } from '../../db/wallets/wallets'
import { assert } from '../../domain/assert'
import { isReservedSlug } from '../../domain/partners/partner'
import { floatPostings } from '../../domain/wallets/ledger'
import { simulatedFloatMicroUsdc } from '../../rail/simulated'
import type { Clock } from '../../runtime/clock'

export interface PartnerToOpen {
  readonly name: string
  readonly slug: string
  readonly email: string
  readonly createdBy: string
}

export type OpenedPartner =
  | { readonly outcome: 'opened'; readonly partner: PartnerRow }
  | { readonly outcome: 'slug_taken' }

export async function openPartner(
  { db, clock }: { db: Db; clock: Clock },
  partner: PartnerToOpen,
): Promise<OpenedPartner> {
  const at = clock.now()
  return db.transaction((tx) => openPartnerIn(tx, { ...partner, at }))
}

/** For who does more in the same transaction; a slug that is taken or reserved leaves it as it was. */
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

async function postFloat(tx: Tx, { walletId, createdBy, at }: { walletId: string; createdBy: string; at: Date }) {
  const posted = await postSet(tx, {
    walletId,
    cause: 'float',
    causeRef: 'simulated',
    payoutId: null,
    createdBy,
    at,
    postings: floatPostings(simulatedFloatMicroUsdc),
  })
  assert(posted.outcome === 'posted', 'a new wallet has no float yet')
}
