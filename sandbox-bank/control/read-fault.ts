// Parses and validates a fault from the control plane's JSON.
import { invalid } from '../http/errors'
import { entriesOf, optionalChoice, optionalText, valueAt } from '../http/fields'
import { parseDecimal } from '../money'
import { faultKinds, isFaultKind, ruleOf } from './fault-kinds'
import { aims, type FaultPlan, type Subject } from './faults'

export function readFault(body: unknown, firstState: string): FaultPlan {
  const kind = valueAt(body, 'kind')
  if (!isFaultKind(kind)) throw invalid('kind', `kind must be one of ${Object.keys(faultKinds).join(', ')}.`)
  const rule = ruleOf(kind)
  const plan: FaultPlan = {
    kind,
    match: readMatch(body, kind === 'stuck' ? firstState : rule.state),
    times: readTimes(body, rule.times),
    stage: optionalChoice(body, 'stage', ['before', 'after']) ?? 'before',
    ms: readNumber(body, 'ms', 0),
    status: readNumber(body, 'status', 400),
    code: optionalText(body, 'code'),
    retry_after: readNumber(body, 'retry_after', 0),
    racing: optionalChoice(body, 'racing', ['only']),
    state: optionalText(body, 'state', { min: 1 }),
    reason: optionalText(body, 'reason'),
    sell_rate: readRate(body),
    by: readNumber(body, 'by', -1_000),
    copies: readNumber(body, 'copies', 1),
    category: optionalText(body, 'category'),
  }
  const missing = rule.needs?.find((option) => plan[option] === null)
  if (missing) throw invalid(missing, `A fault of kind ${kind} needs ${missing}.`)
  refuseStrangers(body, ['kind', 'match', 'times', ...(rule.needs ?? []), ...(rule.takes ?? [])])
  return plan
}

/** Rejects unknown options, because a fault with a misspelt option would fire in the wrong place. */
function refuseStrangers(body: unknown, known: readonly string[]): void {
  const stranger = entriesOf(body).find(([name]) => !known.includes(name))?.[0]
  if (stranger) throw invalid(stranger, `This kind of fault accepts ${known.join(', ')}.`)
}

function readMatch(body: unknown, state: string | undefined): FaultPlan['match'] {
  const stranger = entriesOf(valueAt(body, 'match')).find(([name]) => !aims.some((aim) => aim === name))?.[0]
  if (stranger) throw invalid(`match.${stranger}`, `match may hold ${aims.join(', ')}.`)
  const match: Partial<Record<keyof Subject, string>> = state === undefined ? {} : { state }
  for (const aim of aims) {
    const value = optionalText(body, `match.${aim}`)
    if (value !== null) match[aim] = value
  }
  return match
}

function readTimes(body: unknown, otherwise: number | null): number | null {
  if (valueAt(body, 'times') === null) return null
  return readNumber(body, 'times', 1) ?? otherwise
}

function readNumber(body: unknown, key: string, least: number): number | null {
  const value = valueAt(body, key)
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least) {
    throw invalid(key, `${key} must be a whole number from ${least}.`)
  }
  return value
}

function readRate(body: unknown): string | null {
  const text = optionalText(body, 'sell_rate')
  if (text !== null && !parseDecimal(text, 9))
    throw invalid('sell_rate', 'sell_rate must be a decimal string above zero.')
  return text
}
