// Deploys the pods of a check, and removes them again.

import type { Client } from "../../api/client/client.ts";
import { isAlreadyExists, isNotFound } from "../../api/client/errors.ts";
import type { Namespace, Node, Pod } from "../../api/types/core.ts";
import type { Clock } from "../../base/host/clock.ts";
import { TooLongError, until } from "../../base/host/until.ts";
import { type Family, families } from "../../base/net/family.ts";
import { UsageError } from "../../base/program/errors.ts";
import { checkNamespace, echoPod, serverLabels } from "./objects.ts";
import { type PodStand, podAddress } from "./stage.ts";
import { whyNotReady } from "./unready.ts";

export interface Deployment {
  readonly client: Client;
  readonly clock: Clock;
  readonly namespace: string;
  readonly image: string;
  readonly hostPort: number;
  /** The time limit for each pod or service to be ready. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

const pauseMs = 250;
/** The time limit for the cluster's own work, independent of the time limit for pods. */
const patienceMs = 60_000;

/**
 * Creates the namespace. It takes no signal: an interrupted request would leave it unknown whether the
 * namespace exists and has to be removed.
 */
export async function makeNamespace(
  { client, namespace }: Deployment,
  labels: Readonly<Record<string, string>> = {},
): Promise<void> {
  try {
    await client.resource("v1", "Namespace").create(checkNamespace(namespace, labels));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    throw new UsageError(`Cannot use namespace=${namespace}: it is there already`, {
      hint: `A check removes its namespace at the end, so it takes none that others may need.`,
      cause: error,
    });
  }
}

/**
 * Removes the namespace and waits until it is gone, even if the signal has aborted: the next check may want
 * the same ports.
 */
export async function removeNamespace(deployment: Deployment): Promise<void> {
  const { client, namespace: name, clock } = deployment;
  const namespaces = client.resource("v1", "Namespace");
  const get = (): Promise<Namespace | undefined> =>
    namespaces.get({ name }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  if ((await get()) === undefined) return;
  await namespaces.delete({ name });
  const what = `namespace ${name} is gone`;
  const isGone = async () => ((await get()) === undefined ? true : undefined);
  await until(isGone, { clock, what, limitMs: patienceMs, pauseMs });
}

/** Deploys three pods on each node. */
export async function deployPods(
  deployment: Deployment,
  nodes: readonly Node[],
): Promise<readonly PodStand[]> {
  const { client, clock, namespace, image, hostPort, timeoutMs: limitMs, signal } = deployment;
  const pods = client.resource("v1", "Pod");
  await untilAccount(deployment);
  const wanted = nodes.flatMap(({ metadata: { name: node } }, index) => {
    const each = { namespace, image, node };
    const suffix = index + 1;
    return [
      echoPod({ ...each, name: `client-${suffix}` }),
      echoPod({
        ...each,
        name: `server-${suffix}`,
        labels: serverLabels(`server-${suffix}`),
        hostPort,
      }),
      echoPod({ ...each, name: `host-${suffix}`, hostNetwork: true, port: hostPort + 1 }),
    ];
  });
  for (const pod of wanted) await pods.create(pod, { signal });
  let unready: readonly Pod[] = wanted;
  const isReady = async (): Promise<ReadonlyMap<string, Pod> | undefined> => {
    const { items } = await pods.list({ namespace, signal });
    unready = items.filter((pod) => whyNotReady(pod) !== undefined);
    if (unready.length > 0) return undefined;
    return new Map(items.map((pod) => [pod.metadata.name, pod]));
  };
  const what = "the pods are ready";
  const found = await until(isReady, { clock, signal, what, limitMs, pauseMs }).catch(
    (cause: unknown) => {
      if (!(cause instanceof TooLongError)) throw cause;
      const states = unready.map((pod) => `${placeOf(pod)} ${whyNotReady(pod)}`);
      throw new Error(`Cannot start the pods within ${limitMs / 1000} s: ${states.join("; ")}`);
    },
  );
  const named = (name: string): Pod => {
    const pod = found.get(name);
    if (pod === undefined) throw new Error(`Cannot use pod ${name}: somebody removed it`);
    return pod;
  };
  return nodes.map((node, index) => ({
    node,
    client: named(`client-${index + 1}`),
    server: named(`server-${index + 1}`),
    host: named(`host-${index + 1}`),
  }));
}

/** Returns the families in which pods have addresses. */
export function familiesOf(stands: readonly PodStand[]): readonly Family[] {
  return families.filter((family) =>
    stands.some(({ client }) => podAddress(client, family) !== undefined),
  );
}

/** Waits for the namespace's default service account, without which servers refuse pods. */
export async function untilAccount(deployment: Deployment): Promise<void> {
  const { client, namespace, clock, signal } = deployment;
  const accounts = client.resource("v1", "ServiceAccount");
  const find = () =>
    accounts.get({ namespace, name: "default" }, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
  const what = `namespace ${namespace} has an account`;
  await until(find, { clock, signal, what, limitMs: patienceMs, pauseMs });
}

function placeOf({ metadata, spec }: Pod): string {
  return `${metadata.name} on ${spec.nodeName}`;
}
