// The user's own sessions, with the device and times of each. The user can end one, all others or all of them.
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, pathTo, Refusal } from '../../../api/call'
import type { List, SignedInDevice } from '../../../api/types'
import { Card } from '../../../parts/card'
import { Button } from '../../../parts/forms/button'
import { Bars, Loaded } from '../../../parts/loaded'
import { ErrorNotice } from '../../../parts/notice'
import { useToast } from '../../../parts/toast'
import { Moment } from '../../../parts/values/moment'
import { useSession } from '../../../shell/here'
import { useSignOut } from '../../../shell/session-end'
import { texts } from './texts'

const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: ({ signal }) => call<List<SignedInDevice>>('GET', '/v1/auth/sessions', { signal }),
})

const words = texts.sessions

export function Sessions() {
  const { member } = useSession()
  const query = useQuery(sessionsQuery)
  const end = useEndSession()
  const everywhere = useSignOut('/v1/auth/sessions')
  const sessions = query.data?.data ?? []
  const error = end.error ?? everywhere.error
  return (
    <Card title={words.title}>
      <div className="flex flex-col items-start gap-3">
        <p className="text-soft">
          {words.signedInAs} <span className="text-ink">{member.email}</span>. {words.lostDevice}
        </p>
        <Loaded query={query} skeleton={<Bars rows={2} />}>
          {({ data }) => (
            <ul aria-label={words.title} className="w-full divide-y divide-line border-y border-line">
              {data.map((session) => (
                <Device
                  key={session.id}
                  of={session}
                  isEnding={end.isPending && end.variables === session.id}
                  onEnd={() => end.mutate(session.id)}
                />
              ))}
            </ul>
          )}
        </Loaded>
        {error && <ErrorNotice error={error} />}
        <div className="flex flex-wrap gap-2">
          {sessions.some(({ current }) => !current) && (
            <Button busy={end.isPending && end.variables === 'others'} onClick={() => end.mutate('others')}>
              {words.signOutOthers}
            </Button>
          )}
          <Button weight="danger" busy={everywhere.isPending} onClick={() => everywhere.mutate()}>
            {words.signOut}
          </Button>
        </div>
      </div>
    </Card>
  )
}

interface DeviceProps {
  readonly of: SignedInDevice
  readonly isEnding: boolean
  readonly onEnd: () => void
}

function Device({ of, isEnding, onEnd }: DeviceProps) {
  const device = of.device ?? words.unknownDevice
  return (
    <li className="flex items-center justify-between gap-3 py-2.5">
      <div className="min-w-0">
        <p className="font-medium">
          {device}
          {of.current && <span className="ml-2 text-xs font-normal text-good">{words.current}</span>}
        </p>
        <p className="text-xs text-soft">
          {words.signedIn} <Moment at={of.signed_in_at} as="brief" /> ·{' '}
          {of.current ? (
            words.activeNow
          ) : (
            <>
              {words.lastUsed} <Moment at={of.last_used_at} as="ago" />
            </>
          )}
        </p>
      </div>
      {!of.current && (
        <Button aria-label={`${words.signOutOne}: ${device}`} busy={isEnding} onClick={onEnd}>
          {words.signOutOne}
        </Button>
      )}
    </li>
  )
}

/**
 * `which` is the ID of a session, or `others` for all other sessions. It is not an error if the session has already
 * ended.
 */
function useEndSession() {
  const queryClient = useQueryClient()
  const showToast = useToast()
  return useMutation({
    mutationFn: (which: string) =>
      call('DELETE', pathTo`/v1/auth/sessions/${which}`).catch((error: unknown) => {
        if (!(error instanceof Refusal && error.status === 404)) throw error
      }),
    onSuccess: async (_, which) => {
      showToast(which === 'others' ? words.endedOthers : words.endedOne)
      await queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })
    },
  })
}
