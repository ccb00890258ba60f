// Ingress of the cluster: this program in pods. They are reached by a load balancer or, with several control
// planes, by the ingress virtual addresses on the control planes themselves.

import type { Client } from "../../api/client/client.ts";
import { isNotFound } from "../../api/client/errors.ts";
import type { CallOptions } from "../../api/client/options.ts";
import { role } from "./control-plane-role.ts";
import type { ClusterSettings } from "./settings.ts";
import { isHighlyAvailable } from "./virtual-addresses.ts";

const place = { namespace: "kube-system", name: "tandem-ingress" };
/** The labels by which holders of virtual addresses recognise the nodes with ingress. */
const labels = { "app.kubernetes.io/component": "ingress" };
const healthPort = 10_264;
/** A directory below /tmp: an ordinary user, who is root inside, can create it in the image only there. */
const directory = "/tmp/tandem-ingress";

export type IngressSettings = Pick<
  ClusterSettings,
  "controlPlanes" | "apiVips" | "ingressVips" | "serviceCidr"
>;

/** Creates or updates the objects of ingress. */
export async function applyIngress(client: Client, settings: IngressSettings): Promise<void> {
  const { name } = place;
  const apiGroup = "rbac.authorization.k8s.io";
  await Promise.all([
    client.resource("v1", "ServiceAccount").apply({ metadata: place }),
    client.resource(`${apiGroup}/v1`, "ClusterRoleBinding").apply({
      metadata: { name },
      roleRef: { apiGroup, kind: "ClusterRole", name: `system:${name}` },
      subjects: [{ kind: "ServiceAccount", ...place }],
    }),
    client.resource("networking.k8s.io/v1", "IngressClass").apply({
      metadata: {
        name: "tandem",
        annotations: { "ingressclass.kubernetes.io/is-default-class": "true" },
      },
      spec: { controller: "tandem.internal/ingress" },
    }),
  ]);
  if (isHighlyAvailable(settings))
    await client.resource("apps/v1", "DaemonSet").apply(onControlPlanes(settings));
  else {
    await client.resource("v1", "Service").apply(balancer(settings));
    await client.resource("apps/v1", "Deployment").apply(deployment);
  }
}

/** Returns the addresses at which ingress is reached from outside. */
export async function ingressAddresses(
  client: Client,
  settings: ClusterSettings,
  options: CallOptions,
): Promise<readonly string[]> {
  if (isHighlyAvailable(settings)) return settings.ingressVips.map(String);
  try {
    const { status } = await client.resource("v1", "Service").get(place, options);
    return (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

function balancer({ serviceCidr }: IngressSettings) {
  return {
    metadata: { ...place, labels },
    spec: {
      type: "LoadBalancer" as const,
      // With "Local" backends are told the address of the client, which would be a node's otherwise.
      externalTrafficPolicy: "Local" as const,
      ipFamilyPolicy: "PreferDualStack" as const,
      ipFamilies: serviceCidr.map(({ family }) => family),
      selector: labels,
      ports: [
        { name: "http", port: 80, protocol: "TCP" as const },
        { name: "https", port: 443, protocol: "TCP" as const },
      ],
    },
  };
}

const deployment = {
  metadata: { ...place, labels },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: podSpec(`--publish-service=${place.namespace}/${place.name}`),
    },
  },
};

function onControlPlanes({ ingressVips }: IngressSettings) {
  return {
    metadata: { ...place, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          ...podSpec(`--publish-address=${ingressVips.join(",")}`),
          hostNetwork: true,
          nodeSelector: { [role]: "" },
          tolerations: [{ key: role, operator: "Exists" as const, effect: "NoSchedule" as const }],
        },
      },
    },
  };
}

function podSpec(publish: string) {
  return {
    serviceAccountName: place.name,
    priorityClassName: "system-cluster-critical",
    // The grace period is longer than requests under way may take.
    terminationGracePeriodSeconds: 35,
    containers: [
      {
        name: "ingress",
        image: "tandem.internal/tandem",
        args: ["ingress", publish, `--data-dir=${directory}`, `--health-address=:${healthPort}`],
        readinessProbe: { httpGet: { path: "/readyz", port: healthPort }, periodSeconds: 1 },
        // The last configuration is kept, so that a restarted container serves it at once.
        volumeMounts: [{ name: "data", mountPath: directory }],
      },
    ],
    volumes: [{ name: "data", emptyDir: {} }],
  };
}
