// API keys of the environment: create, list and revoke.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Ban, KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call, pathTo } from '../../api/call'
import { activeKeysQuery, keysQueryKey, revokedKeysQuery } from '../../api/queries'
import type { ApiKey, KeyCreated } from '../../api/types'
import { Card, Page } from '../../parts/card'
import { CopyButton } from '../../parts/copy'
import { Dialog, DialogButtons } from '../../parts/dialog'
import { Button, ButtonLink } from '../../parts/forms/button'
import { ConfirmByCode } from '../../parts/forms/confirm-by-code'
import { controlled, Field } from '../../parts/forms/field'
import { Bars, Empty, Loaded, More } from '../../parts/loaded'
import { ErrorNotice, faultAt, Notice } from '../../parts/notice'
import { Cell, Row, Table } from '../../parts/table'
import { useToast } from '../../parts/toast'
import { Moment } from '../../parts/values/moment'
import { Status } from '../../parts/values/status'
import { useEnvironment, useIsAdmin, useSession } from '../../shell/here'

const mostKeys = 5
const aboutKeys = {
  sandbox: 'Sandbox keys use test money and can’t see live data.',
  live: 'Live keys pay from the live wallet. They can also read invoices, and the keys and audit log of both environments.',
}

export function KeysPage() {
  const environment = useEnvironment()
  const isAdmin = useIsAdmin()
  const { live } = useSession()
  const active = useQuery(activeKeysQuery(environment))
  const revoked = useInfiniteQuery(revokedKeysQuery(environment))
  const [open, setOpen] = useState(false)
  const mustVerify = environment === 'live' && !live
  const create = isAdmin && !mustVerify && (
    <Button weight="primary" onClick={() => setOpen(true)}>
      <KeyRound aria-hidden />
      Create key
    </Button>
  )
  return (
    <Page title="API keys" about={`Up to ${mostKeys} keys per environment. ${aboutKeys[environment]}`} actions={create}>
      {mustVerify && (
        <Notice
          tone="warn"
          title="Verify your business to create live keys"
          action={<ButtonLink to="/dashboard/verification">Verification</ButtonLink>}
        >
          The sandbox works the same way, with test money.
        </Notice>
      )}
      <Card flush>
        <Loaded query={active} skeleton={<Bars />}>
          {({ data }) => (
            <Loaded query={revoked} skeleton={<Bars />}>
              {({ pages }) => (
                <Keys
                  keys={merged(
                    data,
                    pages.flatMap((page) => page.data),
                  )}
                  action={create}
                />
              )}
            </Loaded>
          )}
        </Loaded>
        <More of={revoked} what="revoked keys" />
      </Card>
      <CreateKey open={open} onClose={() => setOpen(false)} />
    </Page>
  )
}

/** If one list is older than a revocation, the key is in both; it counts as revoked. */
function merged(active: readonly ApiKey[], revoked: readonly ApiKey[]): readonly ApiKey[] {
  const revokedIds = new Set(revoked.map(({ id }) => id))
  return [...active.filter(({ id }) => !revokedIds.has(id)), ...revoked]
}

const columns = [
  { head: 'Key' },
  { head: 'Created', from: 'sm' },
  { head: 'Last used', from: 'sm' },
  { head: 'Status' },
  { head: 'Revoke', hideHead: true, align: 'right' },
] as const

function Keys({ keys, action }: { readonly keys: readonly ApiKey[]; readonly action: React.ReactNode }) {
  const isAdmin = useIsAdmin()
  const [revoking, setRevoking] = useState<ApiKey | null>(null)
  if (keys.length === 0)
    return (
      <Empty title="No keys in this environment" action={action}>
        Keys let your own systems create payouts. You see the secret once, when you create the key.
      </Empty>
    )
  return (
    <>
      <Table columns={columns} label="API keys">
        {keys.map((key) => (
          <Row key={key.id}>
            <Cell className="max-w-36 sm:max-w-56">
              <span className="block truncate font-medium">{key.label ?? 'No label'}</span>
              <code className="block truncate font-mono text-xs text-soft">{key.key_prefix}…</code>
            </Cell>
            <Cell from="sm" className="text-soft">
              <Moment at={key.created_at} as="day" />
            </Cell>
            <Cell from="sm" className="text-soft">
              {key.last_used_at ? <Moment at={key.last_used_at} as="ago" /> : 'Never'}
            </Cell>
            <Cell>
              <Status of={key.revoked_at ? 'revoked' : 'active'} />
            </Cell>
            <Cell align="right">
              {isAdmin && !key.revoked_at && (
                <Button
                  weight="danger"
                  onClick={() => setRevoking(key)}
                  aria-label={`Revoke ${key.label ?? key.key_prefix}`}
                >
                  <Ban className="sm:hidden" aria-hidden />
                  <span className="hidden sm:inline">Revoke</span>
                </Button>
              )}
            </Cell>
          </Row>
        ))}
      </Table>
      <RevokeKey apiKey={revoking} onClose={() => setRevoking(null)} />
    </>
  )
}

function CreateKey({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [made, setMade] = useState<KeyCreated | null>(null)
  const close = () => {
    setMade(null)
    onClose()
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title={made ? 'Copy the secret now' : 'Create key'}
      preventClose={made !== null}
    >
      {made ? <Secret made={made} done={close} /> : <NewKeyForm onMade={setMade} onClose={close} />}
    </Dialog>
  )
}

function NewKeyForm({ onMade, onClose }: { readonly onMade: (key: KeyCreated) => void; readonly onClose: () => void }) {
  const environment = useEnvironment()
  const queryClient = useQueryClient()
  const [label, setLabel] = useState('')
  const [mustConfirm, setMustConfirm] = useState(false)
  const body = { environment, label: label.trim() }
  const create = useMutation({
    mutationFn: (code: string | undefined) =>
      call<KeyCreated>('POST', '/v1/keys', { body: { ...body, ...(code ? { confirm_code: code } : {}) } }),
    onSuccess: async (key) => {
      onMade(key)
      await queryClient.invalidateQueries({ queryKey: keysQueryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (environment === 'live') setMustConfirm(true)
    else create.mutate(undefined)
  }
  if (mustConfirm)
    return (
      <ConfirmByCode
        path="/v1/keys"
        request={{ body }}
        button={`Create ${environment} key`}
        confirm={(code) => create.mutate(code)}
        change={create}
        onClose={onClose}
      >
        the live key “{body.label}”
      </ConfirmByCode>
    )
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field
        label="Label"
        hint="Where you’ll use it, e.g. “shop server”."
        required
        maxLength={60}
        autoFocus
        {...controlled(label, setLabel)}
        error={faultAt(create.error, 'label')}
      />
      {create.error && <ErrorNotice error={create.error} fields={['label']} />}
      <DialogButtons>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" weight="primary" busy={create.isPending}>
          {environment === 'live' ? 'Email me a code' : `Create ${environment} key`}
        </Button>
      </DialogButtons>
    </form>
  )
}

function Secret({ made, done }: { readonly made: KeyCreated; readonly done: () => void }) {
  return (
    <div className="flex flex-col gap-4">
      <p className="text-soft">Copy this secret now and store it safely. You won’t be able to see it again.</p>
      <code data-testid="secret" className="rounded-lg border border-line bg-sunken p-3 font-mono text-xs break-all">
        {made.secret}
      </code>
      <DialogButtons>
        <CopyButton text={made.secret} name="secret" wide />
        <Button weight="primary" onClick={done}>
          I’ve saved it
        </Button>
      </DialogButtons>
    </div>
  )
}

function RevokeKey({ apiKey, onClose }: { readonly apiKey: ApiKey | null; readonly onClose: () => void }) {
  const queryClient = useQueryClient()
  const showToast = useToast()
  const revoke = useMutation({
    mutationFn: (id: string) => call('POST', pathTo`/v1/keys/${id}/revoke`),
    onSuccess: async () => {
      onClose()
      showToast('Key revoked')
      await queryClient.invalidateQueries({ queryKey: keysQueryKey })
    },
  })
  return (
    <Dialog open={apiKey !== null} onClose={onClose} title="Revoke this key?">
      <p className="text-soft">
        Requests using <strong className="text-ink">{apiKey?.label ?? apiKey?.key_prefix}</strong> will stop working
        immediately. Payouts it already created continue.
      </p>
      {revoke.error && <ErrorNotice error={revoke.error} states={() => 'This key is already revoked.'} />}
      <DialogButtons>
        <Button onClick={onClose}>Keep key</Button>
        <Button weight="danger" busy={revoke.isPending} onClick={() => apiKey && revoke.mutate(apiKey.id)}>
          Revoke key
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
