// Which environment an Api-Key opens; the two know nothing of each other.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { Settings } from '../settings'
import type { Environment } from '../storage/records'
import { headerRefusal } from './errors'

export function environmentOf(settings: Settings, apiKey: string | undefined): Environment {
  if (!apiKey) throw headerRefusal(401, 'required', 'Api-Key', 'Missing Api-Key header.')
  if (sameText(apiKey, settings.sandboxKey)) return 'sandbox'
  if (sameText(apiKey, settings.liveKey)) return 'live'
  throw headerRefusal(401, 'invalid', 'Api-Key', 'Invalid Api-Key header.')
}

function sameText(one: string, other: string): boolean {
  return timingSafeEqual(digest(one), digest(other))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
