// Loads pages and menus on demand, and all of them once the browser is idle, so that they also open offline.
import { useIsFetching } from '@tanstack/react-query'
import { type ComponentType, createElement, useEffect } from 'react'

const loads: (() => Promise<unknown>)[] = [() => import('../parts/values/qr-code')]

/**
 * A page whose code is in a file of its own. If the file cannot be loaded, the router shows an error with a retry. The
 * router's own helper for lazy pages would reload the application, and offline that shows only the browser's error
 * page.
 */
export function lazyPage<const Name extends string, Props extends object = object>(
  load: () => Promise<Readonly<Record<Name, ComponentType<NoInfer<Props>>>>>,
  name: Name,
) {
  let page: ComponentType<Props> | null = null
  const preload = async () => {
    page ??= (await load())[name]
  }
  loads.push(preload)
  const LazyPage = (props: Props) => {
    if (page === null) throw new Error('a page is rendered before it is loaded')
    return createElement(page, props)
  }
  return Object.assign(LazyPage, { preload })
}

/** Starts after the first data has arrived. A page that fails to load here is loaded again when it is opened. */
export function useAllPages(): void {
  const isFetching = useIsFetching() > 0
  useEffect(() => {
    if (isFetching) return
    const loadAll = () => void Promise.allSettled(loads.splice(0).map((load) => load()))
    if (!('requestIdleCallback' in window)) {
      const timer = setTimeout(loadAll, 1_000)
      return () => clearTimeout(timer)
    }
    const callback = requestIdleCallback(loadAll)
    return () => cancelIdleCallback(callback)
  }, [isFetching])
}
