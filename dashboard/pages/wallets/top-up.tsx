// Ways to top up: pounds by bank transfer, USDC to an address, or test money in the sandbox.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, lazy, Suspense, useState } from 'react'
import { call } from '../../api/call'
import { accountQuery, balanceQuery } from '../../api/queries'
import type { Account, BankFunding, Environment } from '../../api/types'
import { isSimulated } from '../../page-facts'
import { Card, Fact, Facts, Page } from '../../parts/card'
import { Copyable } from '../../parts/copy'
import { Button, ButtonLink } from '../../parts/forms/button'
import { controlled, Field } from '../../parts/forms/field'
import { Loaded } from '../../parts/loaded'
import { ErrorNotice, faultAt, Notice } from '../../parts/notice'
import { useToast } from '../../parts/toast'
import { useEnvironment, useIsAdmin } from '../../shell/here'
import { asAmount, codeWords, grouped, pounds, sortCodeWords } from '../../words'

const QrCode = lazy(() => import('../../parts/values/qr-code').then(({ QrCode }) => ({ default: QrCode })))

export function TopUpPage() {
  const environment = useEnvironment()
  const isAdmin = useIsAdmin()
  const account = useQuery(accountQuery(environment))
  const { data: balance } = useQuery(balanceQuery(environment))
  return (
    <Page
      title="Top up"
      about={balance && `Wallet balance: ${grouped(balance.usdc)} USDC (≈ ${pounds(balance.approx_gbp)})`}
    >
      <div className="grid items-start gap-5 lg:grid-cols-2">
        {environment === 'sandbox' && isAdmin && <TestMoney />}
        {account.data?.bank_funding && <ByBank funding={account.data.bank_funding} environment={environment} />}
        <Loaded query={account}>{(loaded) => <ByUsdc account={loaded} />}</Loaded>
      </div>
    </Page>
  )
}

function TestMoney() {
  const queryClient = useQueryClient()
  const showToast = useToast()
  const [typed, setTyped] = useState('1000')
  const usdc = asAmount(typed)
  const add = useMutation({
    mutationFn: () => call('POST', '/v1/sandbox/top-ups', { query: { environment: 'sandbox' }, body: { usdc } }),
    onSuccess: async () => {
      showToast(`${grouped(usdc ?? '')} USDC of test money added`)
      await queryClient.invalidateQueries()
    },
  })
  const type = (text: string) => {
    add.reset()
    setTyped(text)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (usdc !== null) add.mutate()
  }
  return (
    <Card title="Add test money">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p className="text-soft">Added instantly. Test money has no value.</p>
        <Field
          label="Amount (USDC)"
          inputMode="decimal"
          className="figures text-right"
          {...controlled(typed, type)}
          error={usdc === null ? 'Enter an amount such as 1000 or 250.50.' : faultAt(add.error, 'usdc')}
        />
        {add.error && <ErrorNotice error={add.error} fields={['usdc']} />}
        <Button type="submit" weight="primary" busy={add.isPending} disabled={usdc === null}>
          Add test money
        </Button>
      </form>
    </Card>
  )
}

function ByUsdc({ account: { funding_wallet, environment } }: { readonly account: Account }) {
  const { address, chain } = funding_wallet
  if (address === null)
    return (
      <Card title="Send USDC">
        <Notice
          title="No wallet address yet"
          action={environment === 'live' && <ButtonLink to="/dashboard/verification">Verification</ButtonLink>}
        >
          {environment === 'live'
            ? 'You’ll get one when your business is verified.'
            : 'The sandbox bank assigns one, usually within a minute.'}
        </Notice>
      </Card>
    )
  return (
    <Card title="Send USDC">
      <div className="flex flex-col gap-4">
        <div className="size-44 self-center rounded-xl border border-line bg-white p-3">
          <Suspense>
            <QrCode text={address} label={`QR code of the wallet address ${address}`} />
          </Suspense>
        </div>
        <Facts>
          <Fact name="Address">
            <Copyable
              text={address}
              name="address"
              shown={address.length > 24 ? `${address.slice(0, 12)}…${address.slice(-8)}` : address}
            />
          </Fact>
          <Fact name="Network">{codeWords(chain)}</Fact>
          <Fact name="Currency">USDC</Fact>
        </Facts>
        <Notice tone="warn">
          Send only USDC, and only on {codeWords(chain)}.{' '}
          {isSimulated(environment)
            ? 'This is a test address. Real money sent here will be lost.'
            : 'Anything else is lost.'}
        </Notice>
      </div>
    </Card>
  )
}

function ByBank({ funding, environment }: { readonly funding: BankFunding; readonly environment: Environment }) {
  const sortCode = sortCodeWords(funding.sort_code)
  return (
    <Card title="Bank transfer">
      <div className="flex flex-col gap-4">
        <p className="text-soft">GBP sent to this account is converted to USDC on arrival.</p>
        <Facts>
          <Fact name="Account holder">
            <Copyable text={funding.account_holder_name} name="account holder" />
          </Fact>
          <Fact name="Sort code">
            <Copyable text={sortCode} name="sort code" />
          </Fact>
          <Fact name="Account number">
            <Copyable text={funding.account_number} name="account number" />
          </Fact>
          {funding.bank_name && (
            <Fact name="Bank">
              <Copyable text={funding.bank_name} name="bank" />
            </Fact>
          )}
        </Facts>
        {isSimulated(environment) && (
          <Notice tone="warn">This is a test account. Real money sent here will be lost.</Notice>
        )}
      </div>
    </Card>
  )
}
