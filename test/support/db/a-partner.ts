// Test partners and wallets, created with the functions in db/.
import { randomBytes } from 'node:crypto'
import type { Db } from '../../../db/database'
import { insertPartner, type PartnerChanges, type PartnerRow, updatePartner } from '../../../db/partners/partners'
import { openWallet, type WalletRow } from '../../../db/wallets/wallets'

export const at = new Date('2026-11-15T12:00:00.000Z')

/** The verification of a new partner, as the API and the ops commands show it. */
export const verificationNotStarted = {
  status: 'not_started',
  provider_status: null,
  continue_url: null,
  terms_url: null,
  reasons: [],
}

export async function aPartner(db: Db, changes: PartnerChanges = {}): Promise<PartnerRow> {
  const slug = `acme-${randomBytes(6).toString('hex')}`
  return db.transaction(async (tx) => {
    const partner = await insertPartner(tx, { slug, name: 'Acme Ltd', contactEmail: null, billingEmail: null, at })
    if (partner === 'slug_taken') throw new Error('a random slug was taken')
    return updatePartner(tx, partner.id, changes, at)
  })
}

export async function aWallet(db: Db): Promise<WalletRow> {
  const { id: partnerId } = await aPartner(db)
  return db.transaction((tx) => openWallet(tx, { partnerId, environment: 'sandbox', rail: 'simulated', at }))
}
