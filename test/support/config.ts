// Settings for the configuration tests, and the mistakes that loading them reports.
import { ConfigError, type EnvironmentVariables, loadConfig } from '../../runtime/config/config'

/** The settings that have no default. */
export const neededSettings = {
  DATABASE_URL: 'postgresql://127.0.0.1/payouts',
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  SECRET_KEYS: `k1:${'0'.repeat(64)}`,
}

export function mistakesOf(env: EnvironmentVariables): readonly string[] {
  return mistakesIn(() => loadConfig(env))
}

/** Returns the configuration mistakes that `load` reports. Rethrows other errors. */
export function mistakesIn(load: () => unknown): readonly string[] {
  try {
    load()
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes
    throw error
  }
}
