// The environment switch, and the band on every page where no real money moves.
import { useLocation, useNavigate } from '@tanstack/react-router'
import { FlaskConical, WandSparkles } from 'lucide-react'
import type { Environment } from '../api/types'
import { pageFacts } from '../page-facts'
import { useEnvironment } from './here'
import { rememberEnvironment } from './remembered'

const choices: readonly (readonly [Environment, string, string])[] = [
  ['sandbox', 'Sandbox', 'bg-sandbox text-on-sandbox'],
  ['live', 'Live', 'bg-accent text-on-accent'],
]

export function EnvironmentSwitch() {
  const chosen = useEnvironment()
  const navigate = useNavigate()
  const { pathname, state } = useLocation()
  const choose = (environment: Environment) => {
    rememberEnvironment(environment)
    // A payout exists in one environment only, so the switch opens the list instead, with the filters it had.
    const isOnePayout = /^\/dashboard\/payouts\/./.test(pathname)
    if (isOnePayout) void navigate({ to: '/dashboard/payouts', search: { ...state.payoutSearch, environment } })
    else void navigate({ to: '.', search: (filters) => ({ ...filters, environment }) })
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

export function EnvironmentBand() {
  const environment = useEnvironment()
  if (environment === 'sandbox')
    return (
      <p className="stripes flex min-h-8 items-center justify-center gap-2 bg-sandbox px-4 py-1 text-center text-xs font-semibold text-on-sandbox">
        <FlaskConical className="size-3.5 shrink-0" aria-hidden />
        <span>
          Sandbox<span className="font-medium">: test money only. No one is paid.</span>
        </span>
      </p>
    )
  // Only for print: on screen the switch shows the environment, but controls are not printed.
  if (!pageFacts.live_is_simulated) return <p className="hidden border-b px-8 py-1 font-semibold print:block">Live</p>
  return (
    <p className="stripes flex min-h-8 items-center justify-center gap-2 bg-simulated px-4 py-1 text-center text-xs font-semibold text-on-simulated">
      <WandSparkles className="size-3.5 shrink-0" aria-hidden />
      <span>
        Live (simulated)
        <span className="font-medium">
          : <span className="hidden sm:inline">the bank runs on this machine. </span>No real money moves.
        </span>
      </span>
    </p>
  )
}
