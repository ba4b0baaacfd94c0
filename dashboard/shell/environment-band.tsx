// The band on every page that is not about real money: nobody shall take a test for a payment, or a payment for a test.
import { FlaskConical, WandSparkles } from 'lucide-react'
import { pageFacts } from '../page-facts'
import { useEnvironment } from './here'

export function EnvironmentBand() {
  const environment = useEnvironment()
  if (environment === 'sandbox')
    return (
      <p className="stripes flex min-h-8 items-center justify-center gap-2 bg-sandbox px-4 py-1 text-center text-xs font-semibold text-on-sandbox">
        <FlaskConical className="size-3.5 shrink-0" aria-hidden />
        <span>
          Sandbox<span className="font-medium">: test money, nobody is paid</span>
        </span>
      </p>
    )
  if (!pageFacts.live_is_make_believe) return null
  return (
    <p className="stripes flex min-h-8 items-center justify-center gap-2 bg-pretend px-4 py-1 text-center text-xs font-semibold text-on-pretend">
      <WandSparkles className="size-3.5 shrink-0" aria-hidden />
      <span>
        Live mode, simulated bank
        <span className="font-medium">
          : <span className="hidden sm:inline">the bank is on this machine and moves no money</span>
          <span className="sm:hidden">no money moves</span>
        </span>
      </span>
    </p>
  )
}
