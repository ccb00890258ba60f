import type { CallOptions } from "../command.ts";
import { HostError } from "../error.ts";

/** Network namespaces that persist as long as their name, with or without processes inside. */
export interface NetworkNamespaces {
  /**
   * Creates an empty namespace, its loopback up, and returns its path. A name that is taken is an error, even
   * if it is the leftover of a creation that was killed: delete it first.
   */
  create(name: string, options?: CallOptions): Promise<string>;
  /** Removes the name; the namespace ends with the last process inside. Succeeds also when there is none. */
  delete(name: string, options?: CallOptions): Promise<void>;
  exists(name: string): Promise<boolean>;
  /** The names with this prefix, sorted, leftovers included. */
  list(prefix?: string): Promise<readonly string[]>;
  /** The path of a namespace, as `Commands` and `ip link set … netns` take it. */
  path(name: string): string;
}

export function namespaceExists(path: string, cause?: Error): HostError {
  const message = `Cannot create network namespace ${path}: the name is taken`;
  return new HostError(message, { reason: "already-exists", cause });
}
