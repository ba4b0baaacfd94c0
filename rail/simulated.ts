// The rail of a sandbox that is not connected to a bank yet: a fixed rate and a float, in process.
import type { Rail } from './rail'

/** 10,000.00 USDC, about 7,900 GBP at the simulated rate (§8). */
export const simulatedFloatMicroUsdc = 10_000_000_000n

export const simulatedRail: Rail = { rate: async () => 790_000_000n }
