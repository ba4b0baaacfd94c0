// Reads a profile from Temporal's own configuration file, which Temporal's CLI and SDKs also read.
import { readFileSync } from 'node:fs'
import { homedir, platform } from 'node:os'
import { join } from 'node:path'
import { parseToml, TomlError, type TomlTable, type TomlValue } from './toml'

type Variables = Readonly<Record<string, string | undefined>>

export interface Profile {
  readonly name: string
  /** The profile's values, as the environment variables that Temporal's SDKs read. */
  readonly variables: Variables
}

/** The settings TEMPORAL_PROFILE and TEMPORAL_CONFIG_FILE. Empty if not set. */
interface Asked {
  readonly name: string
  readonly file: string
}

/**
 * Null unless a setting requests a profile, because a profile that a developer created for the CLI must not connect a
 * service to another server.
 */
export function readProfile(asked: Asked, env: Variables, mistakes: string[]): Profile | null {
  if (asked.name === '' && asked.file === '') return null
  const name = asked.name || 'default'
  const file = asked.file || defaultFile(env)
  try {
    const profile = tableIn(tableIn(parseToml(readFileSync(file, 'utf8')), 'profile'), name)
    if (profile !== undefined) return { name, variables: variablesOf(profile) }
    mistakes.push(`TEMPORAL_PROFILE is ${name}, but ${file} has no such profile.`)
  } catch (error) {
    const whose = asked.file === '' ? 'TEMPORAL_PROFILE' : 'TEMPORAL_CONFIG_FILE'
    mistakes.push(`${whose} needs ${file}, which ${error instanceof TomlError ? error.message : 'cannot be read'}.`)
  }
  return null
}

/** The path at which Temporal's CLI stores its configuration file. */
function defaultFile(env: Variables): string {
  const home = env.HOME || homedir()
  const folder =
    platform() === 'darwin' ? join(home, 'Library/Application Support') : env.XDG_CONFIG_HOME || join(home, '.config')
  return join(folder, 'temporalio/temporal.toml')
}

/** The variable for each key of a profile. Keys that we do not use, such as a codec, are ignored. */
const ofProfile = { address: 'TEMPORAL_ADDRESS', namespace: 'TEMPORAL_NAMESPACE', api_key: 'TEMPORAL_API_KEY' }

const ofTls = {
  server_name: 'TEMPORAL_TLS_SERVER_NAME',
  client_cert_path: 'TEMPORAL_TLS_CLIENT_CERT_PATH',
  client_cert_data: 'TEMPORAL_TLS_CLIENT_CERT_DATA',
  client_key_path: 'TEMPORAL_TLS_CLIENT_KEY_PATH',
  client_key_data: 'TEMPORAL_TLS_CLIENT_KEY_DATA',
  server_ca_cert_path: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
  server_ca_cert_data: 'TEMPORAL_TLS_SERVER_CA_CERT_DATA',
}

function variablesOf(profile: TomlTable): Variables {
  const tls = tableIn(profile, 'tls')
  return {
    ...textsIn(profile, ofProfile),
    ...(tls !== undefined && {
      ...(tls.get('disabled') === true ? {} : textsIn(tls, ofTls)),
      TEMPORAL_TLS: tls.get('disabled') === true ? 'false' : 'true',
    }),
  }
}

function textsIn(table: TomlTable, names: Readonly<Record<string, string>>): Variables {
  return Object.fromEntries(
    Object.entries(names).flatMap(([key, variable]) => {
      const text = table.get(key)
      return typeof text === 'string' ? [[variable, text]] : []
    }),
  )
}

function tableIn(table: TomlTable | undefined, key: string): TomlTable | undefined {
  const value = table?.get(key)
  return isTable(value) ? value : undefined
}

function isTable(value: TomlValue | undefined): value is TomlTable {
  return value instanceof Map
}
