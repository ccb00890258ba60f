import { hostname, networkInterfaces } from "node:os";

export interface PodFacts {
  readonly name: string;
  readonly namespace: string;
  readonly addresses: readonly string[];
}

/** Returns the facts that the pod's environment tells, or else those seen from inside. */
export function podFacts(environment: Readonly<Record<string, string | undefined>>): PodFacts {
  const { POD_NAME, POD_NAMESPACE, POD_IPS } = environment;
  return {
    name: POD_NAME ?? hostname(),
    namespace: POD_NAMESPACE ?? "",
    addresses: POD_IPS === undefined ? ownAddresses() : POD_IPS.split(",").filter(Boolean),
  };
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces())
    .flatMap((interfaces) => interfaces ?? [])
    .filter(({ internal, address }) => !internal && !address.startsWith("fe80:"))
    .map(({ address }) => address);
}
