// Reads and changes Temporal's record of our worker deployment: its versions, and which of them get work. Imports only
// types, so that the ops CLI starts fast.
import type { Client } from '@temporalio/client'
import { grpcCodeOf } from './refusal'

export interface Deployment {
  readonly name: string
  /** The build that gets work. Null means workers without a version. */
  readonly current: string | null
  /** A build that gets a share of the work. */
  readonly ramping: { readonly build: string | null; readonly percent: number } | null
  /** Newest first. */
  readonly versions: readonly DeploymentVersion[]
  /** The identity that made the last change. Empty if there was none. */
  readonly changedBy: string
  /** Sent with a change, so that the change fails if another operator was faster. */
  readonly conflictToken: Uint8Array
}

export interface DeploymentVersion {
  readonly build: string
  readonly state: 'current' | 'ramping' | 'draining' | 'drained' | 'inactive'
  readonly createdAt: Date | null
  /** When the version last became current. */
  readonly lastCurrentAt: Date | null
}

/**
 * A deployment name must not contain a dot. A prefix cannot contain `~`, so no two prefixes result in the same name.
 */
export function deploymentNameOf(taskQueuePrefix: string): string {
  return taskQueuePrefix.replaceAll('.', '~')
}

/** Null until a worker with a version has polled. */
export async function findDeployment(client: Client, deploymentName: string): Promise<Deployment | null> {
  const { namespace } = client.options
  try {
    const described = await client.workflowService.describeWorkerDeployment({ namespace, deploymentName })
    return deploymentOf(deploymentName, described)
  } catch (error) {
    if (grpcCodeOf(error) === notFound) return null
    throw error
  }
}

interface Change {
  /** Null means workers without a version. */
  readonly build: string | null
  readonly by: string
}

export async function setCurrent(client: Client, deployment: Deployment, { build, by }: Change): Promise<void> {
  await client.workflowService.setWorkerDeploymentCurrentVersion({
    ...about(client, deployment, by),
    buildId: build ?? '',
  })
}

/** Zero per cent ends the ramp. */
export async function setRamp(
  client: Client,
  deployment: Deployment,
  { build, by, percent }: Change & { readonly percent: number },
): Promise<void> {
  const buildId = percent === 0 ? '' : (build ?? '')
  await client.workflowService.setWorkerDeploymentRampingVersion({
    ...about(client, deployment, by),
    buildId,
    percentage: percent,
  })
}

/** The server's reason for refusing a change, such as a build without workers. Null for any other error. */
export function deploymentRefusal(error: unknown): string | null {
  const isRefusal = refusals.includes(grpcCodeOf(error))
  return isRefusal && error instanceof Error && 'details' in error ? String(error.details) : null
}

/** The server is too old, or an administrator has disabled worker deployments. */
export function isUnsupported(error: unknown): boolean {
  return grpcCodeOf(error) === unimplemented
}

// gRPC status codes.
const [invalidArgument, notFound, failedPrecondition, unimplemented] = [3, 5, 9, 12]
const refusals: readonly number[] = [invalidArgument, notFound, failedPrecondition]

function about({ options: { namespace } }: Client, { name, conflictToken }: Deployment, by: string) {
  return { namespace, deploymentName: name, conflictToken, identity: by }
}

type Described = Awaited<ReturnType<Client['workflowService']['describeWorkerDeployment']>>

function deploymentOf(name: string, { workerDeploymentInfo: info, conflictToken }: Described): Deployment {
  const routing = info?.routingConfig
  const percent = routing?.rampingVersionPercentage ?? 0
  const ramping = routing?.rampingDeploymentVersion?.buildId ?? null
  const versions = (info?.versionSummaries ?? []).map((version) => ({
    build: version.deploymentVersion?.buildId ?? '',
    state: states[version.status ?? 0] ?? 'inactive',
    createdAt: dateOf(version.createTime),
    lastCurrentAt: dateOf(version.lastCurrentTime),
  }))
  return {
    name,
    current: routing?.currentDeploymentVersion?.buildId ?? null,
    ramping: ramping === null && percent === 0 ? null : { build: ramping, percent },
    versions: versions.toSorted((a, b) => Number(b.createdAt) - Number(a.createdAt)),
    changedBy: info?.lastModifierIdentity ?? '',
    conflictToken,
  }
}

type Time = { readonly seconds?: { toString(): string } | null } | null | undefined

function dateOf(time: Time): Date | null {
  return time?.seconds ? new Date(Number(time.seconds.toString()) * 1_000) : null
}

/** Indexed by `WorkerDeploymentVersionStatus` from the server's protocol. */
const states: readonly DeploymentVersion['state'][] = [
  'inactive',
  'inactive',
  'current',
  'ramping',
  'draining',
  'drained',
  'inactive',
]
