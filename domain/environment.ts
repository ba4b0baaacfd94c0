// The two environments (§1), chosen by the API key, and the payout rails that a key may drive (§2 Account).

export const environments = ['sandbox', 'live'] as const
export type Environment = (typeof environments)[number]

export const rails = ['provider_production', 'provider_sandbox', 'simulated'] as const
export type RailName = (typeof rails)[number]
