import { HostError } from "./error.ts";

/**
 * The name of a cluster's namespace, like `tandem_demo_worker-1`. No part may hold the separator, so
 * two different clusters never come to the same name, nor does one's prefix match another's.
 */
export function namespaceName(cluster: string, ...parts: readonly string[]): string {
  const name = ["tandem", cluster, ...parts].map(checkedPart).join(separator);
  if (name.length > longestFileName) {
    throw invalidName(name, `it is longer than ${longestFileName} characters`);
  }
  return name;
}

const separator = "_";
const longestFileName = 255;

function checkedPart(part: string): string {
  if (/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(part)) return part;
  throw invalidName(part, "a part is made of lower-case letters, digits, dots and hyphens");
}

function invalidName(name: string, state: string): HostError {
  const message = `Cannot name a network namespace ${JSON.stringify(name)}: ${state}`;
  return new HostError(message, { reason: "invalid" });
}
