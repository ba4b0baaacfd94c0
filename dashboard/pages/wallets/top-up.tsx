// Ways to top up: pounds by bank transfer, USDC to an address, or test money if the bank is simulated.
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
import { texts } from './texts'

const QrCode = lazy(() => import('../../parts/values/qr-code').then(({ QrCode }) => ({ default: QrCode })))

const words = texts.topUps

export function TopUpPage() {
  const environment = useEnvironment()
  const isAdmin = useIsAdmin()
  const account = useQuery(accountQuery(environment))
  const { data: balance } = useQuery(balanceQuery(environment))
  return (
    <Page
      title={texts.topUp}
      about={balance && words.about(texts.balance(grouped(balance.usdc), pounds(balance.approx_gbp)))}
    >
      <div className="grid items-start gap-5 lg:grid-cols-2">
        {isAdmin && isSimulated(environment) && <TestMoney key={environment} environment={environment} />}
        {account.data?.bank_funding && <ByBank funding={account.data.bank_funding} environment={environment} />}
        <Loaded query={account}>{(loaded) => <ByUsdc account={loaded} />}</Loaded>
      </div>
    </Page>
  )
}

const paths = { sandbox: '/v1/sandbox/top-ups', live: '/v1/live/simulated-top-ups' }

function TestMoney({ environment }: { readonly environment: Environment }) {
  const queryClient = useQueryClient()
  const showToast = useToast()
  const [typed, setTyped] = useState('1000')
  const usdc = asAmount(typed)
  const add = useMutation({
    mutationFn: () => call('POST', paths[environment], { query: { environment }, body: { usdc } }),
    onSuccess: async () => {
      showToast(words.testMoney[environment === 'live' ? 'sent' : 'added'](grouped(usdc ?? '')))
      await queryClient.invalidateQueries()
    },
  })
  // In live, a simulated deposit is booked like a real one, shortly after it arrives. So the page polls the balance.
  useQuery({ ...balanceQuery(environment), ...(add.isSuccess ? { refetchInterval: 1_000 } : {}) })
  const type = (text: string) => {
    add.reset()
    setTyped(text)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (usdc !== null) add.mutate()
  }
  return (
    <Card title={words.testMoney.title}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <p className="text-soft">{words.testMoney.about[environment]}</p>
        <Field
          label={words.testMoney.amount}
          inputMode="decimal"
          className="figures text-right"
          {...controlled(typed, type)}
          error={usdc === null ? words.testMoney.amountFault : faultAt(add.error, 'usdc')}
        />
        {add.error && <ErrorNotice error={add.error} fields={['usdc']} />}
        <Button type="submit" weight="primary" busy={add.isPending} disabled={usdc === null}>
          {words.testMoney.title}
        </Button>
      </form>
    </Card>
  )
}

function ByUsdc({ account: { funding_wallet, environment } }: { readonly account: Account }) {
  const { address, chain } = funding_wallet
  if (address === null)
    return (
      <Card title={words.usdc.title}>
        <Notice
          title={words.usdc.noAddress}
          action={
            environment === 'live' && <ButtonLink to="/dashboard/verification">{words.usdc.verification}</ButtonLink>
          }
        >
          {words.usdc.noAddressAbout[environment]}
        </Notice>
      </Card>
    )
  return (
    <Card title={words.usdc.title}>
      <div className="flex flex-col gap-4">
        <div className="size-44 self-center rounded-xl border border-line bg-white p-3 forced-color-adjust-none">
          <Suspense>
            <QrCode text={address} label={words.usdc.qrCode(address)} />
          </Suspense>
        </div>
        <Facts>
          <Fact name={words.usdc.address}>
            <Copyable text={address} name={words.usdc.address.toLowerCase()} isWhole />
          </Fact>
          <Fact name={words.usdc.network}>{codeWords(chain)}</Fact>
          <Fact name={words.usdc.currency}>{words.usdc.usdc}</Fact>
        </Facts>
        <Notice tone="warn">
          {words.usdc.only(codeWords(chain))} {isSimulated(environment) ? words.usdc.test : words.usdc.lost}
        </Notice>
      </div>
    </Card>
  )
}

function ByBank({ funding, environment }: { readonly funding: BankFunding; readonly environment: Environment }) {
  const sortCode = sortCodeWords(funding.sort_code)
  return (
    <Card title={words.bank.title}>
      <div className="flex flex-col gap-4">
        <p className="text-soft">{words.bank.about}</p>
        <Facts>
          <Fact name={words.bank.holder}>
            <Copyable text={funding.account_holder_name} name={words.bank.holder.toLowerCase()} />
          </Fact>
          <Fact name={words.bank.sortCode}>
            <Copyable text={sortCode} name={words.bank.sortCode.toLowerCase()} />
          </Fact>
          <Fact name={words.bank.accountNumber}>
            <Copyable text={funding.account_number} name={words.bank.accountNumber.toLowerCase()} />
          </Fact>
          {funding.bank_name && (
            <Fact name={words.bank.bank}>
              <Copyable text={funding.bank_name} name={words.bank.bank.toLowerCase()} />
            </Fact>
          )}
        </Facts>
        {isSimulated(environment) && <Notice tone="warn">{words.bank.test}</Notice>}
      </div>
    </Card>
  )
}
