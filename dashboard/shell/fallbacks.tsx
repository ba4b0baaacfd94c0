// The pages for loading, for an unknown address and for errors.
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { Page } from '../parts/card'
import { ButtonLink } from '../parts/forms/button'
import { Bars } from '../parts/loaded'
import { ErrorNotice } from '../parts/notice'

export function FirstPaint() {
  return (
    <div className="mx-auto w-full max-w-6xl px-4 pt-6 sm:px-8">
      <Bars rows={6} />
    </div>
  )
}

export function NotFound() {
  return (
    <Page title="Page not found" about="Check the address. The page may have moved.">
      <p>
        <ButtonLink to="/dashboard" activeOptions={{ exact: true }} weight="primary">
          Go to the dashboard
        </ButtonLink>
      </p>
    </Page>
  )
}

export function PageError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <Page title="This page couldn’t load">
      <ErrorNotice error={error} retry={retry} />
    </Page>
  )
}

/** For pages outside the shell, which otherwise provides the <main> element. */
export const OuterNotFound = () => (
  <main>
    <NotFound />
  </main>
)

export const OuterError = (props: ErrorComponentProps) => (
  <main>
    <PageError {...props} />
  </main>
)
