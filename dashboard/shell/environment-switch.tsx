// Sandbox or live, for every page; the address says which, so a link shows what its sender saw.
import { useNavigate } from '@tanstack/react-router'
import type { Environment } from '../api/types'
import { useEnvironment } from './here'
import { rememberEnvironment } from './remembered'

const choices: readonly (readonly [Environment, string, string])[] = [
  ['sandbox', 'Sandbox', 'bg-sandbox text-on-sandbox'],
  ['live', 'Live', 'bg-accent text-on-accent'],
]

export function EnvironmentSwitch() {
  const chosen = useEnvironment()
  const navigate = useNavigate()
  const choose = (environment: Environment) => {
    rememberEnvironment(environment)
    // A payout of one environment is unknown in the other.
    const isOnePayout = /^\/dashboard\/payouts\/./.test(location.pathname)
    void navigate({ to: isOnePayout ? '/dashboard/payouts' : '.', search: { environment } })
  }
  return (
    <div role="group" aria-label="Environment" className="flex rounded-lg border border-line bg-sunken p-0.5">
      {choices.map(([environment, name, look]) => (
        <button
          key={environment}
          type="button"
          aria-pressed={chosen === environment}
          onClick={() => choose(environment)}
          className={`h-7 rounded-md px-2.5 text-xs font-semibold ${chosen === environment ? look : 'text-soft hover:text-ink'}`}
        >
          {name}
        </button>
      ))}
    </div>
  )
}
