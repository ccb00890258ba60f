// Deploys the pods of a check of policies, and removes them again. Nobody else takes them for theirs: services
// do not send to them, since they are never ready, and controllers do not adopt them, since they have one.

import { isNotFound } from "../../../api/client/errors.ts";
import type { ConfigMap, Pod } from "../../../api/types/core.ts";
import type { OwnerReference } from "../../../api/types/meta.ts";
import { TooLongError, until } from "../../../base/host/until.ts";
import { type Deployment, makeNamespace, removeNamespace, untilAccount } from "../deploy.ts";
import { echoPort } from "../objects.ts";
import { whyNotReady } from "../unready.ts";
import type { Witness, WitnessPlan } from "./witnesses.ts";

/** The container that sends. */
export const container = "echo";

const pauseMs = 250;

export interface WitnessDeployment extends Deployment {
  /** The namespace whose policies are checked. */
  readonly checked: string;
  readonly nodes: readonly string[];
}

export async function deployWitnesses(
  deployment: WitnessDeployment,
  plan: WitnessPlan,
): Promise<void> {
  const { client, clock, checked, namespace, nodes, timeoutMs: limitMs, signal } = deployment;
  for (const [name, labels] of plan.namespaces) {
    await makeNamespace({ ...deployment, namespace: name }, labels);
    await untilAccount({ ...deployment, namespace: name });
  }
  const pods = client.resource("v1", "Pod");
  const place = { namespace: checked, name: namespace };
  const owner = await client.resource("v1", "ConfigMap").create({ metadata: place }, { signal });
  for (const [index, witness] of plan.witnesses.entries()) {
    const node = nodes[index % nodes.length] ?? "";
    const owners = witness.namespace === checked ? [controllerOf(owner)] : [];
    await pods.create(podOf(witness, { deployment, plan, node, owners }), { signal });
  }
  let state = "";
  const areRunning = async (): Promise<true | undefined> => {
    const found = await Promise.all(plan.witnesses.map((one) => pods.get(one, { signal })));
    const missing = found.find((pod) => !isRunning(pod));
    state = missing === undefined ? "" : `${missing.metadata.name}: ${whyNotReady(missing)}`;
    return missing === undefined ? true : undefined;
  };
  const what = "the pods run";
  await until(areRunning, { clock, signal, limitMs, pauseMs, what }).catch((cause: unknown) => {
    if (!(cause instanceof TooLongError)) throw cause;
    throw new Error(`Cannot start the pods within ${limitMs / 1000} s: ${state}`);
  });
}

/** Removes everything, also what was only begun, and even if the signal has aborted. */
export async function removeWitnesses(
  deployment: WitnessDeployment,
  plan: WitnessPlan,
): Promise<void> {
  const { client, checked, namespace } = deployment;
  const unlessGone = async (work: Promise<unknown>): Promise<void> => {
    await work.catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  };
  for (const one of plan.witnesses) {
    if (one.namespace === checked) await unlessGone(client.resource("v1", "Pod").delete(one));
  }
  const owner = { namespace: checked, name: namespace };
  await unlessGone(client.resource("v1", "ConfigMap").delete(owner));
  for (const name of plan.namespaces.keys())
    await removeNamespace({ ...deployment, namespace: name });
}

function controllerOf({ metadata: { name, uid = "" } }: ConfigMap): OwnerReference {
  return { apiVersion: "v1", kind: "ConfigMap", name, uid, controller: true };
}

function isRunning({ status }: Pod): boolean {
  return (
    status?.conditions?.some((one) => one.type === "ContainersReady" && one.status === "True") ===
    true
  );
}

function podOf(
  { name, namespace, labels }: Witness,
  around: {
    readonly deployment: WitnessDeployment;
    readonly plan: WitnessPlan;
    readonly node: string;
    readonly owners: OwnerReference[];
  },
) {
  const { deployment, plan, node, owners } = around;
  return {
    metadata: {
      name,
      namespace,
      labels: { ...labels },
      ownerReferences: owners,
    },
    spec: {
      nodeName: node,
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      enableServiceLinks: false,
      readinessGates: [{ conditionType: "tandem.internal/never-serves" }],
      // A namespace may allow nothing but restricted pods.
      securityContext: {
        runAsNonRoot: true,
        runAsUser: 65_534,
        seccompProfile: { type: "RuntimeDefault" as const },
      },
      containers: [
        {
          name: container,
          image: deployment.image,
          args: ["serve", `--http-port=${echoPort}`, `--udp-port=${echoPort}`],
          ports: plan.ports.map(({ name: port, protocol, port: containerPort }) => ({
            name: port,
            protocol: protocol.toUpperCase() as "TCP",
            containerPort,
          })),
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ["ALL"] },
          },
        },
      ],
    },
  };
}
