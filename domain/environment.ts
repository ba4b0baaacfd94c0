// The two environments and the rails.

export const environments = ['sandbox', 'live'] as const
export type Environment = (typeof environments)[number]

export const rails = ['provider_production', 'provider_sandbox', 'simulated'] as const
export type RailName = (typeof rails)[number]
