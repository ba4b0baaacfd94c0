// Lets the proof skip idle sandboxes, and records which ones it skips.
import { migration } from '../migration'

export const IdleSandboxes1794700800035 = migration(
  'IdleSandboxes1794700800035',
  `
      ALTER TABLE proofs DROP CONSTRAINT proofs_outcome_check;
      ALTER TABLE proofs
        ADD CONSTRAINT proofs_outcome_check CHECK
          (outcome IN ('equal', 'drift', 'busy', 'no_answer', 'no_bank', 'too_long', 'failed', 'idle'));
    `,
)
