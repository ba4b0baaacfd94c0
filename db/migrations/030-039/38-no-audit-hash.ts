// Drops the SQL functions audit_hash(). The sealer and the verifier hash rows without them (db/controls/audit/rows.ts).
import { migration } from '../migration'

export const NoAuditHash1794700800038 = migration(
  'NoAuditHash1794700800038',
  `
      DROP FUNCTION audit_hash(ledger_sets);
      DROP FUNCTION audit_hash(ledger_entries);
      DROP FUNCTION audit_hash(charges);
      DROP FUNCTION audit_hash(activity);
    `,
)
