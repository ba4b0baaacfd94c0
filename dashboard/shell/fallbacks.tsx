// What is shown where no page is: while one loads, when there is none, and when one breaks.
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Page } from '../parts/card'
import { ButtonLink } from '../parts/forms/button'
import { Bars } from '../parts/loaded'
import { Trouble } from '../parts/notice'

export function FirstPaint() {
  return (
    <div className="mx-auto w-full max-w-6xl px-4 pt-6 sm:px-8">
      <Bars rows={6} />
    </div>
  )
}

export function NotFound() {
  return (
    <Page title="There is no such page" about="The address may be mistyped, or the page may have moved.">
      <p>
        <ButtonLink to="/dashboard" weight="primary">
          Go to the dashboard
        </ButtonLink>
      </p>
    </Page>
  )
}

export function PageTrouble({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Page title="This page could not be shown">
      <Trouble error={error} retry={retry} />
    </Page>
  )
}

/** The same outside the shell, which brings the page's main part itself. */
export const OuterNotFound = () => (
  <main>
    <NotFound />
  </main>
)

export const OuterTrouble = (props: ErrorComponentProps) => (
  <main>
    <PageTrouble {...props} />
  </main>
)
