// Ingress of the cluster: this program in pods. They are reached by a load balancer; where there are
// several control planes, by the virtual addresses of ingress, on the control planes themselves.

import type { Client } from "../../api/client/client.ts";
import { isNotFound } from "../../api/client/errors.ts";
import type { CallOptions } from "../../api/client/options.ts";
import { role } from "./control-plane-role.ts";
import type { ClusterSettings } from "./settings.ts";
import { isHighlyAvailable } from "./virtual-addresses.ts";

const place = { namespace: "kube-system", name: "tandem-ingress" };
/** By which the nodes with ingress are known to those that hold virtual addresses. */
const labels = { "app.kubernetes.io/component": "ingress" };
const healthPort = 10_264;
/** An ordinary user, who is root inside, can make it here in the image and not elsewhere. */
const directory = "/tmp/tandem-ingress";

/** Makes them so, whatever was there before. */
export async function applyIngress(client: Client, settings: ClusterSettings): Promise<void> {
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

/** Where it is reached from outside. */
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

function balancer({ serviceCidr }: ClusterSettings) {
  return {
    metadata: { ...place, labels },
    spec: {
      type: "LoadBalancer" as const,
      // Backends are told the address of the client, which would be a node's otherwise.
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

function onControlPlanes({ ingressVips }: ClusterSettings) {
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
    // Longer than requests that are under way may take.
    terminationGracePeriodSeconds: 35,
    containers: [
      {
        name: "ingress",
        image: "tandem.internal/tandem",
        args: ["ingress", publish, `--data-dir=${directory}`, `--health-address=:${healthPort}`],
        readinessProbe: { httpGet: { path: "/readyz", port: healthPort }, periodSeconds: 1 },
        // What was served last is served again should the container start anew.
        volumeMounts: [{ name: "data", mountPath: directory }],
      },
    ],
    volumes: [{ name: "data", emptyDir: {} }],
  };
}
