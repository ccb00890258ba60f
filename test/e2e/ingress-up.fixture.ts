// Ingress of a cluster that was brought up with it: backend pods, and requests from outside.

import { CommandError } from "../../src/base/host/error.ts";
import type { TestCluster } from "./cluster.fixture.ts";
import { echoPort } from "./connectivity.fixture.ts";

/** The answer of a pod, which describes the request. */
export interface Echo {
  readonly pod: { readonly name: string };
  readonly client: { readonly address: string };
  readonly headers: Readonly<Record<string, string>>;
}

const labels = { app: "web" };

/** A deployment of two pods with addresses of both families. */
export const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: "echo",
            image: "tandem.internal/echo",
            args: ["serve", `--http-port=${echoPort}`],
            readinessProbe: { httpGet: { path: "/healthz", port: echoPort }, periodSeconds: 1 },
          },
        ],
      },
    },
  },
};

/** Returns a service of those pods. */
export function service(name: string, spec: object): object {
  const ports = [{ name: "http", port: 80, targetPort: echoPort }];
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { selector: labels, ports, ...spec },
  };
}

export async function apply(cluster: TestCluster, items: readonly object[]): Promise<void> {
  await cluster.kubectl.pipe({ apiVersion: "v1", kind: "List", items }, "apply", "-f", "-");
  await cluster.kubectl.run("rollout", "status", "deployment/web", "--timeout=60s");
}

/** Returns the load balancer addresses in an object's status, once there are so many. */
export function balancedAddresses(
  cluster: TestCluster,
  object: string,
  { count = 2, namespace = "default" } = {},
): Promise<readonly string[]> {
  return cluster.until(`${object} has addresses`, async () => {
    const path = "jsonpath={.status.loadBalancer.ingress[*].ip}";
    const output = await cluster.kubectl.run("get", object, "-n", namespace, "-o", path);
    const found = output.trim().split(" ");
    return found.length === count && found[0] !== "" ? found : undefined;
  });
}

/** Sends a request from outside to this address; returns the answer of the pod. */
export function echoThrough(cluster: TestCluster, address: string, host: string): Promise<Echo> {
  const url = `http://${address.includes(":") ? `[${address}]` : address}/`;
  const words = ["curl", "-sSf", "-m", "2", "-H", `Host: ${host}`, url];
  return cluster.until(`${host} is answered at ${address}`, async () => {
    try {
      return JSON.parse((await cluster.in("outside").run(words)).stdout) as Echo;
    } catch (error) {
      if (error instanceof CommandError && error.exitCode !== undefined) return undefined;
      throw error;
    }
  });
}
