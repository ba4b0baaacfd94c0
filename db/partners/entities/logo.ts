// The table of partners' logos, apart from the partners, so that nobody reads pictures who does not show them.
import { EntitySchema } from 'typeorm'
import { bytes, idOf, text } from '../../columns'

export interface StoredLogo {
  readonly partnerId: string
  readonly type: string
  readonly bytes: Buffer
  /** Names these bytes. */
  readonly digest: string
}

export const partnerLogo = new EntitySchema<StoredLogo>({
  name: 'PartnerLogo',
  tableName: 'partner_logos',
  columns: { partnerId: { ...idOf('Partner'), primary: true }, type: text, bytes, digest: text },
})
