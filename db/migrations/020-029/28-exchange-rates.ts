// The last accepted exchange rate of each rail, the last rejection, and the jumps that operators have accepted.
import { migration } from '../migration'

export const ExchangeRates1794700800028 = migration(
  'ExchangeRates1794700800028',
  `
      CREATE TABLE exchange_rates (
        rail           text PRIMARY KEY,
        -- GBP per USD × 10⁹; null until a rate was accepted.
        accepted_nano  bigint,
        accepted_at    timestamptz,
        -- Why the bank's last rate was rejected; null when it was accepted.
        rejection      text,
        -- Null when the bank's answer had no readable rate.
        rejected_nano  bigint,
        rejected_at    timestamptz,
        CONSTRAINT exchange_rates_rail_check CHECK (rail IN ('provider_production', 'provider_sandbox', 'simulated')),
        CONSTRAINT exchange_rates_accepted_check CHECK ((accepted_nano IS NULL) = (accepted_at IS NULL) AND accepted_nano > 0),
        CONSTRAINT exchange_rates_rejected_check CHECK ((rejection IS NULL) = (rejected_at IS NULL)
          AND rejection IN ('unusable', 'stale', 'off_mid', 'jump'))
      );

      CREATE TABLE rate_acceptances (
        id             uuid PRIMARY KEY,
        rail           text NOT NULL,
        accepted_nano  bigint NOT NULL,
        -- The last accepted rate before.
        previous_nano  bigint NOT NULL,
        reason         text NOT NULL,
        accepted_by    text NOT NULL,
        accepted_at    timestamptz NOT NULL,
        CONSTRAINT rate_acceptances_rail_check CHECK (rail IN ('provider_production', 'provider_sandbox', 'simulated'))
      );
      CREATE TRIGGER rate_acceptances_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON rate_acceptances
        FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
    `,
)
