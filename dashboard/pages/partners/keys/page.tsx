// The API keys page: creates, lists and revokes the environment's keys.
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useBlocker } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call, pathTo } from '../../../api/call'
import { activeKeysQuery, keysQueryKey, revokedKeysQuery } from '../../../api/queries'
import type { ApiKey, KeyCreated } from '../../../api/types'
import { Card, Page } from '../../../parts/card'
import { CopyButton } from '../../../parts/copy'
import { Dialog, DialogButtons } from '../../../parts/dialog'
import { Button } from '../../../parts/forms/button'
import { ConfirmByCode } from '../../../parts/forms/confirm-by-code'
import { controlled, Field } from '../../../parts/forms/field'
import { Bars, Empty, Loaded, More } from '../../../parts/loaded'
import { ErrorNotice, faultAt, SessionEnded, VerifyFirst } from '../../../parts/notice'
import { Cell, Row, Table } from '../../../parts/table'
import { useToast } from '../../../parts/toast'
import { Moment } from '../../../parts/values/moment'
import { Status } from '../../../parts/values/status'
import { useEnvironment, useIsAdmin, useSession } from '../../../shell/here'
import { useShownSecret } from '../../../shell/session-end'
import { texts } from './texts'

const mostKeys = 5

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
      {texts.create}
    </Button>
  )
  return (
    <Page title={texts.title} about={texts.about(mostKeys, environment)} actions={create}>
      {mustVerify && <VerifyFirst title={texts.mustVerify}>{texts.mustVerifyAbout}</VerifyFirst>}
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
        <More of={revoked} what={texts.revokedKeys} />
      </Card>
      <CreateKey open={open} onClose={() => setOpen(false)} />
    </Page>
  )
}

/** A key that is revoked between the two requests can be in both lists. It then counts as revoked. */
function merged(active: readonly ApiKey[], revoked: readonly ApiKey[]): readonly ApiKey[] {
  const revokedIds = new Set(revoked.map(({ id }) => id))
  return [...active.filter(({ id }) => !revokedIds.has(id)), ...revoked]
}

const columns = [
  { head: texts.columns.key },
  { head: texts.columns.created, from: 'sm' },
  { head: texts.columns.lastUsed, from: 'sm' },
  { head: texts.columns.status },
  { head: texts.columns.revoke, hideHead: true, align: 'right' },
] as const

function Keys({ keys, action }: { readonly keys: readonly ApiKey[]; readonly action: React.ReactNode }) {
  const isAdmin = useIsAdmin()
  const [revoking, setRevoking] = useState<ApiKey | null>(null)
  if (keys.length === 0)
    return (
      <Empty title={texts.none} action={action}>
        {texts.noneAbout}
      </Empty>
    )
  return (
    <>
      <Table columns={columns} label={texts.title}>
        {keys.map((key) => (
          <Row key={key.id}>
            <Cell className="max-w-36 sm:max-w-56">
              <span className="block font-medium wrap-anywhere">{key.label ?? texts.noLabel}</span>
              <code className="block font-mono text-xs text-soft wrap-anywhere">{key.key_prefix}…</code>
            </Cell>
            <Cell from="sm" className="text-soft">
              <Moment at={key.created_at} as="day" />
            </Cell>
            <Cell from="sm" className="text-soft">
              {key.last_used_at ? <Moment at={key.last_used_at} as="ago" /> : texts.neverUsed}
            </Cell>
            <Cell>
              <Status of={key.revoked_at ? 'revoked' : 'active'} />
            </Cell>
            <Cell align="right">
              {isAdmin && !key.revoked_at && (
                <Button
                  weight="danger"
                  className="max-sm:h-11"
                  onClick={() => setRevoking(key)}
                  aria-label={texts.revoke.label(key.label ?? key.key_prefix)}
                >
                  {texts.columns.revoke}
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
  // If the form was closed before the key was created, the dialog opens again to show the secret.
  const isOpen = open || made !== null
  return (
    <Dialog open={isOpen} onClose={close} title={made ? texts.secret.title : texts.create} preventClose={made !== null}>
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
        button={texts.newKey.button(environment)}
        confirm={(code) => create.mutate(code)}
        change={create}
        onClose={onClose}
      >
        {texts.newKey.confirms(body.label)}
      </ConfirmByCode>
    )
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field
        label={texts.newKey.label}
        hint={texts.newKey.labelHint}
        required
        maxLength={60}
        autoFocus
        {...controlled(label, setLabel)}
        error={faultAt(create.error, 'label')}
      />
      {create.error && <ErrorNotice error={create.error} fields={['label']} />}
      <DialogButtons>
        <Button onClick={onClose}>{texts.cancel}</Button>
        <Button type="submit" weight="primary" busy={create.isPending}>
          {environment === 'live' ? texts.newKey.emailCode : texts.newKey.button(environment)}
        </Button>
      </DialogButtons>
    </form>
  )
}

function Secret({ made, done }: { readonly made: KeyCreated; readonly done: () => void }) {
  const hasEnded = useShownSecret(true)
  // Asks before navigation and before a reload.
  useBlocker({ shouldBlockFn: () => !confirm(texts.secret.leaving) })
  return (
    <div className="flex flex-col gap-4">
      {hasEnded ? <SessionEnded /> : <p className="text-soft">{texts.secret.about}</p>}
      <code data-testid="secret" className="rounded-lg border border-line bg-sunken p-3 font-mono text-xs break-all">
        {made.secret}
      </code>
      <DialogButtons>
        <CopyButton text={made.secret} name={texts.secret.name} wide />
        <Button weight="primary" onClick={done}>
          {texts.secret.saved}
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
      showToast(texts.revoke.done)
      await queryClient.invalidateQueries({ queryKey: keysQueryKey })
    },
  })
  return (
    <Dialog open={apiKey !== null} onClose={onClose} title={texts.revoke.title} change={revoke}>
      <p className="text-soft">
        {texts.revoke.about(<strong className="text-ink">{apiKey?.label ?? apiKey?.key_prefix}</strong>)}
      </p>
      {revoke.error && <ErrorNotice error={revoke.error} states={() => texts.revoke.already} />}
      <DialogButtons>
        <Button onClick={onClose}>{texts.revoke.keep}</Button>
        <Button weight="danger" busy={revoke.isPending} onClick={() => apiKey && revoke.mutate(apiKey.id)}>
          {texts.revoke.button}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
