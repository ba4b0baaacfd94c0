// Connects commands to a simulated bank.
import type { Environment } from '../../domain/environment'
import type { Rail } from '../../rail/rail'
import { createRails } from '../../rail/rails'
import { isSimulatedBank, openSimulatedBank, type SimulatedBank } from '../../rail/simulated-bank'
import { type Answer, type Refusal, refused } from '../command'
import type { Ops } from '../connect'

interface OpsBank {
  readonly rail: Rail
  readonly bank: SimulatedBank
}

const timeouts = { connectMs: 2_000, callMs: 10_000 }

/** Refuses a bank that is not on this machine, because such a bank has real customers and, in live, real money. */
export async function withSimulatedBank(
  ops: Ops,
  environment: Environment,
  work: (bank: OpsBank) => Promise<Answer>,
): Promise<Answer> {
  const access = ops.bank[environment]
  if (access === null || !isSimulatedBank(access)) return notSimulated(environment)
  const rails = createRails({ bank: ops.bank, clock: ops.clock, timeouts })
  const bank = openSimulatedBank(access, ops.clock)
  try {
    return await work({ rail: environment === 'live' ? rails.provider_production : rails.provider_sandbox, bank })
  } finally {
    bank.close()
    rails.close()
  }
}

function notSimulated(environment: Environment): Refusal {
  const variable = `BANK_${environment.toUpperCase()}_URL`
  const sentence = `This works only with a simulated ${environment} bank: ${variable} must name one on this machine.`
  return refused('invalid_state', sentence)
}
