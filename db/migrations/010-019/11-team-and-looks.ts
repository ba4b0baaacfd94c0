// Notification mails for admins, stored logos of partners, and the link from a released payout to its confirmation code.
import { migration } from '../migration'

export const TeamAndLooks1794700800011 = migration(
  'TeamAndLooks1794700800011',
  `
      ALTER TABLE mails DROP CONSTRAINT mails_kind_check;
      ALTER TABLE mails ADD CONSTRAINT mails_kind_check
        CHECK (kind IN ('sign_in', 'sign_up', 'invitation', 'confirm', 'notice'));

      CREATE INDEX codes_used_for_index ON codes (used_for) WHERE used_for IS NOT NULL;

      CREATE TABLE partner_logos (
        partner_id  uuid PRIMARY KEY,
        type        text NOT NULL,
        bytes       bytea NOT NULL,
        digest      text NOT NULL,
        CONSTRAINT partner_logos_partner_fkey FOREIGN KEY (partner_id) REFERENCES partners (id),
        CONSTRAINT partner_logos_type_check CHECK (type IN ('image/png', 'image/jpeg', 'image/webp')),
        CONSTRAINT partner_logos_bytes_check CHECK (length(bytes) BETWEEN 1 AND 40960)
      );
    `,
)
