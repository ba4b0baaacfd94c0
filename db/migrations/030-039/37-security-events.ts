// Indexes of the activity list for security events, and for sandbox entries, which are all that a sandbox key sees.
import { migration } from '../migration'

export const SecurityEvents1794700800037 = migration(
  'SecurityEvents1794700800037',
  `
      CREATE INDEX activity_security_index ON activity (partner_id, at DESC, id DESC)
        WHERE changes AND (action ~ '^(key|login|member|partner|session|verification)[.]'
          OR action ~ '[.]confirm$' OR (action = 'account.update' AND detail ~ '(billing|contact)_email'));
      CREATE INDEX activity_sandbox_index ON activity (partner_id, at DESC, id DESC) WHERE environment = 'sandbox';
      CREATE INDEX activity_sandbox_changes_index ON activity (partner_id, at DESC, id DESC)
        WHERE environment = 'sandbox' AND changes;
    `,
)
